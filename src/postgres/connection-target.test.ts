import { chmod, chown, copyFile, mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { makeCertificates } from "../../test/support/make-certificates.js"
import { type PrivatePostgres, startPrivatePostgres } from "../../test/support/private-postgres.js"
import { waitUntil } from "../../test/support/wait-until.js"
import { Connection } from "./connection.js"
import { connectionTarget } from "./connection-target.js"
import { CopyBuffer } from "./copy-buffer.js"
import { Database } from "./database.js"
import { serverAnswers } from "./server-answers.js"

let certificates: string
let server: PrivatePostgres
let url: URL

beforeAll(async () => {
  certificates = await mkdtemp(join(tmpdir(), "tidemark-test-tls-"))
  await makeCertificates(certificates, ["localhost"])
  server = await startPrivatePostgres()
  const data = join(server.directory, "postgres")
  const { uid, gid } = await stat(data)
  for (const name of ["server.crt", "server.key"]) {
    await copyFile(join(certificates, name), join(data, name))
    await chown(join(data, name), uid, gid)
    await chmod(join(data, name), 0o600)
  }
  url = new URL(server.url("postgres"))
  const admin = await Connection.open({ url: url.href, applicationName: "test" })
  await admin.query("alter system set ssl = on")
  await admin.query("select pg_reload_conf()")
  const isOn = async () => (await admin.query("select 1 where current_setting('ssl') = 'on'")).rows.length > 0
  await waitUntil(isOn, { what: "TLS" })
  await admin.end()
})
afterAll(async () => {
  await server.remove()
  await rm(certificates, { recursive: true, force: true })
})

const file = (name: string): string => join(certificates, name)
function urlWith(parameters: Record<string, string>, host = "localhost"): string {
  const made = new URL(url)
  made.hostname = host
  for (const [name, value] of Object.entries(parameters)) made.searchParams.set(name, value)
  return made.href
}
const encryptedSql = "select ssl as encrypted from pg_stat_ssl where pid = pg_backend_pid()"

/** By both kinds of connections, which must agree: "encrypted", "plain", or the code of the refusal. */
async function connect(url: string): Promise<string> {
  const outcomes: string[] = []
  const database = new Database({ url, applicationName: "test" })
  for (const ask of [
    async () => (await database.query<{ encrypted: boolean }>(encryptedSql)).rows[0]!.encrypted,
    async () => {
      const connection = await Connection.open({ url, applicationName: "test" })
      await connection.query("create temporary table copied (n int8)")
      const rows = new CopyBuffer(64)
      rows.row(1)
      rows.int8(7)
      expect(await connection.copyIn("copied", ["n"], [rows.take()])).toBe(1)
      const { encrypted } = (await connection.query<{ encrypted: boolean }>(encryptedSql)).rows[0]!
      await connection.end()
      return encrypted
    },
  ]) {
    outcomes.push(
      await ask().then(
        (encrypted) => (encrypted ? "encrypted" : "plain"),
        (error: { cause?: { code?: string } }) => error.cause?.code ?? String(error),
      ),
    )
  }
  await database.end()
  expect(outcomes[1]).toBe(outcomes[0])
  return outcomes[0]!
}

describe("a server with a certificate of an authority of its own", () => {
  const untrusted = "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
  const otherName = "ERR_TLS_CERT_ALTNAME_INVALID"
  test.each<[parameters: Record<string, string>, host: string, outcome: string]>([
    [{}, "localhost", "plain"],
    [{ sslmode: "disable" }, "localhost", "plain"],
    [{ sslmode: "require" }, "localhost", "encrypted"],
    [{ sslmode: "require" }, "127.0.0.1", "encrypted"],
    [{ sslmode: "require", sslrootcert: "ca.crt" }, "127.0.0.1", "encrypted"],
    [{ sslmode: "require", sslrootcert: "other.crt" }, "localhost", untrusted],
    [{ sslmode: "verify-ca", sslrootcert: "ca.crt" }, "127.0.0.1", "encrypted"],
    [{ sslmode: "verify-ca", sslrootcert: "other.crt" }, "localhost", untrusted],
    [{ sslmode: "verify-full", sslrootcert: "ca.crt" }, "localhost", "encrypted"],
    [{ sslmode: "verify-full", sslrootcert: "ca.crt" }, "127.0.0.1", otherName],
    [{ sslmode: "verify-full", sslrootcert: "other.crt" }, "localhost", untrusted],
    [{ sslmode: "verify-full" }, "localhost", untrusted],
    [{ sslmode: "verify-full", sslrootcert: "system" }, "localhost", untrusted],
    [{ sslrootcert: "ca.crt" }, "127.0.0.1", otherName],
    [{ ssl: "true" }, "localhost", untrusted],
    [{ ssl: "no-verify" }, "localhost", "encrypted"],
  ])("with %j at %s: %s", async ({ sslrootcert, ...parameters }, host, outcome) => {
    const root = sslrootcert === undefined || sslrootcert === "system" ? sslrootcert : file(sslrootcert)
    expect(await connect(urlWith({ ...parameters, ...(root ? { sslrootcert: root } : {}) }, host))).toBe(outcome)
  })

  test("is asked whether it is there, whatever the mode", async () => {
    expect(await serverAnswers(urlWith({ sslmode: "verify-full", sslrootcert: file("ca.crt") }), 5_000)).toBe(true)
  })
})

describe("a URL that would be less safe than it looks, or cannot work, is refused", () => {
  test.each<[parameters: Record<string, string>, message: string]>([
    [{ sslmode: "prefer" }, "it would go on without encryption"],
    [{ sslmode: "verify_full" }, "sslmode=verify_full is not supported"],
    [{ sslmode: "verify-ca" }, "needs sslrootcert"],
    [{ sslmode: "require", sslrootcert: "system" }, "needs sslmode=verify-full"],
    [
      { sslmode: "verify-full", sslrootcert: "/nowhere/ca.crt" },
      "sslrootcert=/nowhere/ca.crt cannot be read (ENOENT)",
    ],
  ])("%j", (parameters, message) => {
    const url = urlWith(parameters)
    expect(() => connectionTarget(url)).toThrow(message)
    expect(() => connectionTarget(url)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }))
  })
})
