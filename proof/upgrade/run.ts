// npx tsx proof/upgrade/run.ts <commit> <name>: builds that release, lets its own program fill a store, adds users'
// tables, and keeps a dump as proof/upgrade/stores/<name>.sql.gz. Needs git and a pg_dump of version 15 or newer.

import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import pg from "pg"
import { startChainServer } from "../../test/support/chain-server.js"
import { startPostgres15 } from "../../test/support/private-postgres.js"
import { runTidemark } from "../../test/support/tidemark-process.js"
import { derivedTo, keptChain, ownConfig, ownWorker, storedTo, usersTables } from "./kept-store.js"

const [commit, name] = process.argv.slice(2)
if (commit === undefined || name === undefined) {
  console.error("usage: npx tsx proof/upgrade/run.ts <commit> <name>")
  process.exit(2)
}
const root = join(import.meta.dirname, "..", "..")
const place = mkdtempSync(join(tmpdir(), "tidemark-release-"))
const release = join(place, "release")
const git = (...args: string[]): Buffer => execFileSync("git", ["-C", root, ...args])
// The oldest supported server: what it dumps, every newer one can restore.
const postgres = await startPostgres15()
const node = await startChainServer(keptChain)
try {
  git("worktree", "add", "--detach", release, commit)
  symlinkSync(join(root, "node_modules"), join(release, "node_modules"))
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc")
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: release, stdio: "inherit" })
  await postgres.ensureDatabase("store")
  const url = postgres.url("store")
  const program = join(release, "bin", "tidemark.js")
  const tidemark = async (...args: string[]): Promise<void> => {
    const env = { DB_RAW_URL: url, RPC_URL: node.url, PORT: "0", RANGE_SIZE: "10" }
    const run = runTidemark([...args, "--config", join(release, ownConfig)], {
      ...{ cwd: place, env, command: [process.execPath, program] },
    })
    const code = await run.exit
    if (code !== 0) throw new Error(`tidemark ${args.join(" ")} ended with ${code}: ${run.errors.join("\n")}`)
  }
  const fill = (to: number, ...more: string[]): Promise<void> =>
    tidemark("start", "--end-block", String(to), "--exit-when-done", ...more)
  await fill(derivedTo)
  await tidemark("rollback", "--to", String(derivedTo - 5), "--yes", "--reason", "a bad node")
  await fill(derivedTo)
  await tidemark("workers", "pause", ownWorker, "--reason", "for the night")
  // Work that the next release finds undone.
  await fill(storedTo, "--workers", "none")
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(usersTables)
  await client.end()
  const flags = ["--no-owner", "--no-privileges", "--rows-per-insert=50"]
  const dump = execFileSync("pg_dump", [...flags, url], { maxBuffer: 1 << 28 }).toString()
  // Commands of psql, which only newer versions of pg_dump write, and settings that older servers do not know.
  const statements = dump.replace(/^(\\|SET (transaction_timeout|lock_timeout)).*$/gm, "")
  const file = join(import.meta.dirname, "stores", `${name}.sql.gz`)
  writeFileSync(file, gzipSync(statements, { level: 9 }))
  console.log(`${file}: ${statements.length} characters`)
} finally {
  await node.stop()
  await postgres.remove()
  git("worktree", "remove", "--force", release)
  rmSync(place, { recursive: true, force: true })
}
