import { expect, it } from "vitest"
import { Connection } from "../../src/postgres/connection.js"
import { startPrivatePostgres } from "./private-postgres.js"
import { createTestDatabase } from "./test-database.js"

it("a private server stopped like a crash comes back on its port with what was committed", async () => {
  const server = await startPrivatePostgres()
  try {
    const { port } = server
    const test = await createTestDatabase({ server: server.url("postgres") })
    const connection = await Connection.open({ url: test.url, applicationName: "test" })
    await connection.query("create table kept as select 1 as x")
    await server.stop("immediate")
    await expect(connection.query("select 1")).rejects.toMatchObject({ code: "DATABASE_UNREACHABLE" })
    await server.start()
    expect(server.port).toBe(port)
    const again = await Connection.open({ url: test.url, applicationName: "test" })
    expect((await again.query("select x from kept")).rows).toEqual([{ x: 1 }])
    await again.end()
  } finally {
    await server.remove()
  }
})
