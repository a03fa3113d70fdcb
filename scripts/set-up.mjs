// What every command needs on a fresh machine: dependencies as the lockfile names them, and a build of the sources.
// Plain JavaScript without dependencies, since it runs before there are any.

import { spawn, spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const say = (text) => process.stderr.write(`tidemark: ${text}\n`)

export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options })
  if (result.error) throw result.error
  if (result.status !== 0) process.exit(result.status ?? 1)
}

/** A program of ours in TypeScript, which a signal reaches as well: a terminal sends it to both, and twice is harmless. */
export function runTypeScript(path, { nodeOptions = [] } = {}) {
  const program = [...nodeOptions, "--import", "tsx", join(root, path), ...process.argv.slice(2)]
  const child = spawn(process.execPath, program, { cwd: root, stdio: "inherit" })
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("exit", (code) => process.exit(code ?? 1))
}

function assertNode() {
  const [major, minor] = process.versions.node.split(".").map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  say(`Node ${process.versions.node} is too old; 20.19 or newer is needed`)
  process.exit(1)
}

export function installDependencies(directory = root) {
  assertNode()
  const marker = join(directory, "node_modules", ".package-lock.json")
  const lock = join(directory, "package-lock.json")
  if (existsSync(marker) && statSync(marker).mtimeMs >= statSync(lock).mtimeMs) return
  // A tree that is there is mended, which takes a second where `npm ci` begins with nothing.
  const command = existsSync(marker) ? ["install", "--no-save"] : ["ci"]
  say(`installing dependencies (npm ${command[0]})`)
  const npm = process.env.npm_execpath
  const args = [...command, "--prefix", directory, "--no-audit", "--no-fund", "--include=dev", "--include=optional"]
  // Its report of install scripts goes with the rest to stderr: standard output belongs to the command asked for.
  const stdio = ["ignore", process.stderr, process.stderr]
  if (npm) run(process.execPath, [npm, ...args], { stdio })
  else run("npm", args, { stdio })
  // npm writes its marker before the lockfile's time on a fresh clone; touch it so that the next start knows.
  if (existsSync(marker)) writeFileSync(marker, readFileSync(marker))
}

function newest(directory) {
  let latest = 0
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    latest = Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs)
  }
  return latest
}

/** Newer than all of these: built by the present sources. */
function isBuilt(stamp, sources) {
  return existsSync(stamp) && statSync(stamp).mtimeMs >= Math.max(...sources)
}

export function build() {
  buildProgram()
  buildPages()
}

/** Apart from the program, which is built more often. */
function buildPages() {
  const stamp = join(root, "dist", ".built-web")
  const sources = [
    newest(join(root, "web")),
    newest(join(root, "src", "client")),
    statSync(join(root, "scripts", "build-pages.mjs")).mtimeMs,
    statSync(join(root, "package-lock.json")).mtimeMs,
  ]
  if (isBuilt(stamp, sources)) return
  if (!existsSync(join(root, "node_modules", "vite", "package.json"))) {
    say("the pages are not built: vite is not installed (npm ci); all else works")
    return
  }
  say("building the pages")
  const stdio = ["ignore", process.stderr, process.stderr]
  run(process.execPath, [join(root, "scripts", "build-pages.mjs")], { stdio })
  writeFileSync(stamp, "")
}

function buildProgram() {
  const stamp = join(root, "dist", ".built")
  const sources = [
    newest(join(root, "src")),
    statSync(join(root, "tsconfig.build.json")).mtimeMs,
    statSync(join(root, "scripts", "bundle.mjs")).mtimeMs,
    statSync(join(root, "package-lock.json")).mtimeMs,
  ]
  if (isBuilt(stamp, sources)) return
  say("building")
  const dist = join(root, "dist")
  for (const name of existsSync(dist) ? readdirSync(dist) : []) {
    if (name !== "web" && name !== ".built-web") rmSync(join(dist, name), { recursive: true, force: true })
  }
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc")
  const stdio = ["ignore", process.stderr, process.stderr]
  // The types of the config; the bundle has the code.
  run(process.execPath, [tsc, "-p", "tsconfig.build.json"], { stdio })
  run(process.execPath, [join(root, "scripts", "bundle.mjs"), root], { stdio })
  writeFileSync(stamp, "")
}
