// A release replaces an older one process by process, while blocks arrive: the schema is migrated under the old
// processes, which go on. Needs the commit of the old release and git.

import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { existsSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { urlOf } from "../../test/e2e/workplace.js"
import type { TidemarkProcess } from "../../test/support/tidemark-process.js"
import { waitUntil } from "../../test/support/wait-until.js"
import type { Site } from "./site.js"

/** What filled proof/upgrade/stores/0.1.0.sql.gz. */
const releasedCommit = "b4d48b2~1"
const root = join(import.meta.dirname, "..", "..")

export async function rollUpgrade(site: Site): Promise<string> {
  const release = build(site)
  const url = await (await site.postgres()).create("store")
  const store = { raw: url, app: url }
  const old = [site.start(store, { release }), site.start(store, { release })]
  await site.caughtUp(store, old)
  await site.run("Upgrade", 0, { DB_RAW_URL: url })
  await site.caughtUp(store, old)
  const next: TidemarkProcess[] = []
  for (const [index, one] of old.entries()) {
    assert.equal(await one.end("SIGTERM"), 0)
    const replacement = site.start(store)
    next.push(replacement)
    const ready = `${await urlOf(replacement)}/ready`
    await waitUntil(async () => (await fetch(ready)).ok, { what: "the new process is ready" })
    site.reorganize(site.node.server.head - 5, index + 2)
    await site.caughtUp(store, [...old.slice(index + 1), ...next])
  }
  const late = site.start(store, { release })
  assert.equal(await late.exit, 1)
  assert.match([...late.errors, ...late.lines.map(({ msg }) => msg)].join("\n"), /SCHEMA_NEWER|newer release/)
  await site.verified(store)
  for (const member of next) assert.equal(await member.end("SIGTERM"), 0)
  return `from ${releasedCommit}, two processes`
}

function build(site: Site): string {
  const release = join(site.directory, "release")
  const git = (...args: string[]): void => void execFileSync("git", ["-C", root, ...args], { stdio: "ignore" })
  git("worktree", "add", "--detach", release, releasedCommit)
  site.ending(async () => git("worktree", "remove", "--force", release))
  symlinkSync(join(root, "node_modules"), join(release, "node_modules"))
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc")
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: release, stdio: "inherit" })
  const bundle = join(release, "scripts", "bundle.mjs")
  if (existsSync(bundle)) execFileSync(process.execPath, [bundle, release], { cwd: release, stdio: "inherit" })
  return join(release, "bin", "tidemark.js")
}
