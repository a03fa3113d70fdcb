// The cluster's directory, created by initdb. It gets its final name only when it is complete: a process killed in
// between leaves nothing that looks like a cluster, and of several that start together one wins.

import { execFile } from "node:child_process"
import { chmod, chown, mkdir, readFile, realpath, rename, rm, stat, symlink, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { promisify } from "node:util"
import { IndexerError } from "../../platform/errors.js"
import type { Logger } from "../../platform/logger.js"
import type { Random } from "../../platform/random.js"
import { readMachine, settingsFile } from "./server-settings.js"
import { canReach, type ServerUser, serverUserFor } from "./server-user.js"

const run = promisify(execFile)

/** The superuser of the embedded server. */
export const embeddedUser = "tidemark"

/** Inside the cluster, so that it always belongs to it. */
const passwordFile = "tidemark.password"

export interface DataDirectoryOptions {
  readonly dataDir: string
  readonly native: string
  readonly user: ServerUser | undefined
  readonly systemDir: string
  /** False for temporary clusters, which are then created a second faster. */
  readonly durable: boolean
  readonly logger: Logger
  readonly random: Random
}

export interface DataDirectory {
  /** Without symbolic links. */
  readonly path: string
  readonly password: string
}

/** The owner of an existing cluster, else the user that will own a new one. */
export async function clusterUser(dataDir: string): Promise<ServerUser | undefined> {
  const own = process.getuid?.()
  const owner = await stat(join(dataDir, "postgres")).catch(() => undefined)
  if (owner === undefined) return serverUserFor(dataDir)
  if (own === undefined || owner.uid === own) return undefined
  if (own === 0) return { uid: owner.uid, gid: owner.gid }
  throw new IndexerError(
    "EMBEDDED_FAILED",
    `The embedded database in ${dataDir} belongs to another user (${owner.uid}). ` +
      "Start as that user, or remove the directory to create a new database.",
    { data: { owner: owner.uid } },
  )
}

export async function openDataDirectory(options: DataDirectoryOptions): Promise<DataDirectory> {
  const name = join(options.dataDir, "postgres")
  if (!(await exists(name))) await create(options, name)
  const path = await realpath(name)
  if (!(await canReach(path, options.user))) {
    throw new IndexerError(
      "EMBEDDED_FAILED",
      `The embedded database in ${path} is in a directory that its user (${options.user?.uid}) cannot enter. ` +
        "Let others enter it (chmod o+x), or move the data to a directory that they can enter.",
    )
  }
  const password = (await readFile(join(path, passwordFile), "utf8")).trim()
  await writeFile(join(path, "tidemark.conf"), settingsFile(await readMachine(path)))
  return { path, password }
}

async function create(options: DataDirectoryOptions, name: string): Promise<void> {
  const { user, random, logger } = options
  const elsewhere = !(await canReach(resolve(name), user))
  const final = elsewhere ? join(options.systemDir, `data-${random.uuid()}`) : name
  const part = `${final}.part-${random.uuid()}`
  await mkdir(dirname(part), { recursive: true, mode: 0o755 })
  try {
    await initialize(part, options)
    await rename(part, final)
    if (elsewhere) {
      await symlink(final, name)
      logger.info({ data: final, link: name }, "created the embedded database in a directory its user can reach")
    }
  } catch (error) {
    await rm(part, { recursive: true, force: true })
    if (!["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error
    // Another process was first; its cluster is used.
    if (elsewhere) await rm(final, { recursive: true, force: true })
  }
}

async function initialize(part: string, options: DataDirectoryOptions): Promise<void> {
  const { native, user, random } = options
  const password = random.uuid()
  await mkdir(part, { mode: 0o700 })
  const secret = `${part}.password`
  try {
    await writeFile(secret, `${password}\n`, { mode: 0o600 })
    if (user) {
      await chown(part, user.uid, user.gid)
      await chown(secret, user.uid, user.gid)
    }
    const args = [
      ...["-D", part, "-U", embeddedUser, `--pwfile=${secret}`, "--auth=scram-sha-256"],
      ...["--encoding=UTF8", "--locale=C", "--data-checksums", "--no-instructions"],
      ...(options.durable ? [] : ["--no-sync"]),
    ]
    await run(join(native, "bin", "initdb"), args, { cwd: "/", env: { LC_ALL: "C" }, ...user })
    await rename(secret, join(part, passwordFile))
    // Included first, so that settings of an operator in postgresql.conf or by ALTER SYSTEM come later and win.
    const conf = join(part, "postgresql.conf")
    const generated = await readFile(conf, "utf8")
    await writeFile(conf, `include_if_exists = 'tidemark.conf'\n${withoutActiveLines(generated)}`)
    if (user) await chown(conf, user.uid, user.gid)
    await chmod(conf, 0o600)
  } catch (cause) {
    await rm(secret, { force: true })
    const { stderr, message } = cause as Error & { stderr?: string }
    const reason = stderr?.trim().split("\n").at(-1) ?? message
    throw new IndexerError(
      "EMBEDDED_FAILED",
      `The embedded Postgres could not create a database in ${options.dataDir}: ${reason}`,
      { cause },
    )
  }
}

/** Our settings replace those of initdb, except the kind of shared memory, which initdb has tested. */
const withoutActiveLines = (conf: string): string =>
  conf.replaceAll(/^(?=[a-z_]+\s*=)(?!dynamic_shared_memory_type)/gm, "#")

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
