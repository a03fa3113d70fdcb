import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { copyBlankCluster } from "../../../test/support/private-postgres.js"
import { systemClock } from "../../platform/clock.js"
import { silentLogger } from "../../platform/logger.js"
import { systemRandom } from "../../platform/random.js"
import { Connection } from "../connection.js"
import { readEmbeddedAddress } from "./address-file.js"
import { linkLibraries, packagedBinaries } from "./binaries.js"
import { readPostmasterFile } from "./postmaster-file.js"
import { canReach, type ServerUser, serverUserFor } from "./server-user.js"
import { type EmbeddedOptions, type EmbeddedPostgres, startEmbedded } from "./start-embedded.js"

const processFile = fileURLToPath(new URL("../../../test/support/embedded-process.ts", import.meta.url))
const asRoot = process.getuid?.() === 0
const nobody: ServerUser = { uid: 65_534, gid: 65_534 }
const nobodyCanRunThis = asRoot && (await canReach(processFile, nobody)) && (await canReach(process.execPath, nobody))

describe("the embedded server", () => {
  let root: string
  let dataDir: string
  const servers: EmbeddedPostgres[] = []
  const children: ChildProcess[] = []

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "tidemark-embedded-"))
    await chmod(root, 0o755)
    dataDir = join(root, ".tidemark")
  })
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill("SIGKILL")
    for (const server of servers.splice(0)) await server.stop("immediate")
    const left = await readPostmasterFile(join(dataDir, "postgres")).catch(() => undefined)
    if (left) killIfRunning(left.pid)
    await chmod(root, 0o755)
    await rm(root, { recursive: true, force: true, maxRetries: 10 })
  })

  const start = async (options: Partial<EmbeddedOptions> = {}) => {
    const server = await startEmbedded({
      dataDir,
      systemDir: join(root, "system"),
      logger: silentLogger,
      clock: systemClock,
      random: systemRandom,
      settings: { fsync: "off" },
      ...options,
    })
    servers.push(server)
    return server
  }

  const startProcess = async (user?: ServerUser) => {
    const args = ["--import", import.meta.resolve("tsx"), processFile, dataDir, join(root, "system")]
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], ...user })
    children.push(child)
    const [line] = (await once(createInterface(child.stdout!), "line")) as [string]
    return { child, said: JSON.parse(line) as Record<string, unknown> }
  }

  const query = async (url: string, sql: string) => {
    const connection = await Connection.open({ url, applicationName: "test" })
    try {
      return (await connection.query(sql)).rows
    } finally {
      await connection.end()
    }
  }

  /** For tests of what follows a first start. */
  const createCluster = async () => {
    await mkdir(dataDir)
    await copyBlankCluster(dataDir)
  }

  const postmasterPid = async () => (await readPostmasterFile(join(dataDir, "postgres")))!.pid

  it("starts on loopback only, is found by others while it runs, and keeps data and port over a stop", async () => {
    const first = await start({ settings: {} })
    const { port } = first
    expect(first.adopted).toBe(false)
    await first.ensureDatabase("Odd name'\"")
    await first.ensureDatabase("Odd name'\"")
    await query(first.url("Odd name'\""), "create table kept as select 1 as x")
    expect(await query(first.url("postgres"), "show listen_addresses")).toEqual([{ listen_addresses: "127.0.0.1" }])
    const settings = `select string_agg(name || '=' || setting, ' ' order by name) as text from pg_settings where name
      in ('fsync', 'synchronous_commit', 'jit', 'server_encoding', 'max_connections', 'data_checksums')`
    expect(await query(first.url("postgres"), settings)).toEqual([
      {
        text: "data_checksums=on fsync=on jit=off max_connections=200 server_encoding=UTF8 synchronous_commit=on",
      },
    ])
    expect((await stat(join(dataDir, "postgres.json"))).mode & 0o777).toBe(0o600)
    expect((await readEmbeddedAddress(dataDir))?.("x")).toBe(first.url("x"))
    await first.stop()
    await first.stop()
    expect(await readEmbeddedAddress(dataDir)).toBeUndefined()
    expect(await readPostmasterFile(join(dataDir, "postgres"))).toBeUndefined()

    const second = await start()
    expect(second.port).toBe(port)
    expect(await query(second.url("Odd name'\""), "select x from kept")).toEqual([{ x: 1 }])
    const log = await readFile(join(dataDir, "postgres.log"), "utf8")
    expect(log).not.toContain("not properly shut down")
  })

  it("a port that is in use is replaced by a free one, and an incomplete cluster is ignored", async () => {
    await mkdir(join(dataDir, "postgres.part-x"), { recursive: true })
    const first = await start()
    const { port } = first
    await first.stop()
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve))
    const second = await start()
    await new Promise((resolve) => other.close(resolve))
    expect(second.port).not.toBe(port)
    expect(await readEmbeddedAddress(dataDir)).toBeDefined()
  })

  it("of several processes that start together one owns the server and the others name it", async () => {
    const started = await Promise.all([1, 2, 3].map(() => startProcess()))
    const owners = started.filter(({ said }) => "port" in said)
    const refused = started.filter(({ said }) => said["code"] === "EMBEDDED_IN_USE")
    expect([owners.length, refused.length]).toEqual([1, 2])
    for (const { said } of refused) {
      expect(said["data"]).toEqual({
        ownerPid: owners[0]!.child.pid,
        address: `127.0.0.1:${owners[0]!.said["port"]}`,
      })
      expect(JSON.stringify(said)).not.toContain(new URL(String(owners[0]!.said["url"])).password)
    }
    expect((await readEmbeddedAddress(dataDir))?.("postgres")).toBe(owners[0]!.said["url"])
    const gone = once(owners[0]!.child, "exit")
    owners[0]!.child.kill("SIGTERM")
    expect(await gone).toEqual([0, null])
    expect(await readEmbeddedAddress(dataDir)).toBeUndefined()
  })

  it("a server whose owner was killed is adopted with its committed data", async () => {
    await createCluster()
    const { child, said } = await startProcess()
    await query(String(said["url"]), "create table kept as select 1 as x")
    const pid = await postmasterPid()
    child.kill("SIGKILL")
    await once(child, "exit")
    const server = await start()
    expect([server.adopted, server.port, await postmasterPid()]).toEqual([true, said["port"], pid])
    expect(await query(server.url("postgres"), "select x from kept")).toEqual([{ x: 1 }])
    await server.stop()
    expect(await readEmbeddedAddress(dataDir)).toBeUndefined()
  })

  it("after owner and server were killed the next start recovers, even if the server's id is reused", async () => {
    await createCluster()
    const { child, said } = await startProcess()
    await query(String(said["url"]), "create table kept as select 1 as x")
    const pid = await postmasterPid()
    child.kill("SIGKILL")
    process.kill(pid, "SIGKILL")
    await once(child, "exit")
    const other = spawn("sleep", ["60"], asRoot ? nobody : {})
    children.push(other)
    const lock = join(dataDir, "postgres", "postmaster.pid")
    await writeFile(lock, (await readFile(lock, "utf8")).replace(/^\d+/, String(other.pid)))
    const server = await start()
    expect(server.adopted).toBe(false)
    expect(await query(server.url("postgres"), "select x from kept")).toEqual([{ x: 1 }])
    expect(other.exitCode).toBeNull()
  })

  it("a killed server is restarted on the same port, each time", async () => {
    await createCluster()
    const server = await start()
    const { port } = server
    await query(server.url("postgres"), "create table kept as select 1 as x")
    for (let round = 0; round < 2; round++) {
      const pid = await postmasterPid()
      process.kill(pid, "SIGKILL")
      await expect
        .poll(() => query(server.url("postgres"), "select x from kept").catch(() => "unavailable"))
        .toEqual([{ x: 1 }])
      expect([server.port, (await postmasterPid()) === pid]).toEqual([port, false])
    }
  })

  it("a lost owner connection is reopened to the same server, which has its own session", async () => {
    await createCluster()
    const server = await start()
    const pid = await postmasterPid()
    if (process.platform === "linux") {
      const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]!.split(" ")
      // After state and parent: process group and session.
      expect(fields.slice(2, 4).map(Number)).toEqual([pid, pid])
    }
    const backend = server.ownerBackendPid
    await query(server.url("postgres"), `select pg_terminate_backend(${backend})`)
    await expect.poll(() => server.ownerBackendPid !== backend).toBe(true)
    expect(await postmasterPid()).toBe(pid)
    const { said } = await startProcess()
    expect(said["code"]).toBe("EMBEDDED_IN_USE")
  })

  it("missing library links are created, and existing ones stay", async () => {
    const library = join(root, "native", "lib")
    await mkdir(library, { recursive: true })
    await writeFile(join(library, "libpq.so.5.18"), "x")
    await symlink("elsewhere", join(library, "libpq.so"))
    const links = ["libpq.so", "libpq.so.5"].map((name) => ({
      source: "native/lib/libpq.so.5.18",
      target: `native/lib/${name}`,
    }))
    await writeFile(join(root, "native", "pg-symlinks.json"), JSON.stringify(links))
    await linkLibraries(join(root, "native"))
    expect(await readlink(join(library, "libpq.so.5"))).toBe("libpq.so.5.18")
    expect(await readlink(join(library, "libpq.so"))).toBe("elsewhere")
  })

  it.skipIf(!asRoot)(
    "root in a directory that only root may enter: binaries and data go where the server's user can reach them",
    async () => {
      const system = await mkdtemp(join(tmpdir(), "tidemark-system-"))
      await chmod(system, 0o755)
      const native = join(root, "package", "native")
      await copyWithoutLinks(native)
      await writeFile(join(root, "package", "package.json"), JSON.stringify({ version: "18.0.0" }))
      // As installed by root with a umask of 077.
      for (const path of ["bin", "lib", "share", "bin/postgres", "bin/initdb"]) await chmod(join(native, path), 0o700)
      await chmod(root, 0o700)
      try {
        const first = await start({ native, systemDir: system })
        await query(first.url("postgres"), "create table kept as select 1 as x")
        await first.stop()
        const second = await start({ native, systemDir: system })
        expect(await query(second.url("postgres"), "select x from kept")).toEqual([{ x: 1 }])
        await second.stop()
        expect((await lstat(join(dataDir, "postgres"))).isSymbolicLink()).toBe(true)
        const data = await realpath(join(dataDir, "postgres"))
        expect(data.startsWith(`${await realpath(system)}/data-`)).toBe(true)
        expect((await readdir(system)).length).toBe(2)
      } finally {
        await rm(system, { recursive: true, force: true })
      }
    },
  )

  it.skipIf(!nobodyCanRunThis)("an ordinary user starts it as this user", async () => {
    await chmod(root, 0o777)
    const { child, said } = await startProcess(nobody)
    expect(said).toMatchObject({ adopted: false })
    expect((await stat(join(dataDir, "postgres"))).uid).toBe(nobody.uid)
    const gone = once(child, "exit")
    child.kill("SIGTERM")
    expect(await gone).toEqual([0, null])
    // Root may continue with an ordinary user's cluster: the server still runs as that user.
    const server = await start()
    expect(await query(server.url("postgres"), "select 1 as one")).toEqual([{ one: 1 }])
  })

  it.skipIf(!asRoot)("root starts it as the directory's owner, or as nobody where that user has no name", async () => {
    await chown(root, 1, 1)
    expect(await serverUserFor(dataDir)).toEqual({ uid: 1, gid: 1 })
    await start()
    expect((await stat(join(dataDir, "postgres"))).uid).toBe(1)
    await chown(root, 4_242_424, 4_242_424)
    expect(await serverUserFor(dataDir)).toEqual(nobody)
  })

  it("a server that does not start is an error with the end of its log", async () => {
    await createCluster()
    await expect(start({ settings: { shared_buffers: "plenty" } })).rejects.toMatchObject({
      code: "EMBEDDED_FAILED",
      message: expect.stringContaining("shared_buffers"),
    })
  })

  /** The package as npm installs it without install scripts. */
  async function copyWithoutLinks(native: string): Promise<void> {
    await cp(packagedBinaries(), native, { recursive: true, verbatimSymlinks: true })
    const library = join(native, "lib")
    for (const entry of await readdir(library, { withFileTypes: true })) {
      if (entry.isSymbolicLink()) await unlink(join(library, entry.name))
    }
    await symlink("nothing", join(library, "kept-link"))
  }
})

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}
