import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { Database } from "./database.js"
import { migrate } from "./migrate.js"

const first = "create extension if not exists btree_gist; create table raw.a (x int); create table raw.b (y int);"
const second = "alter table raw.a add column z int;"

describe("migrate", () => {
  let test: TestDatabase
  let database: Database
  let directory: string
  beforeEach(async () => {
    test = await createTestDatabase({ empty: true })
    database = new Database({ url: test.url, applicationName: "test" })
    directory = await mkdtemp(join(tmpdir(), "tidemark-migrations-"))
    await writeFile(join(directory, "0001_first.sql"), first)
  })
  afterEach(async () => {
    await database.end()
    await test.drop()
    await rm(directory, { recursive: true })
  })

  it("files are applied once, in order, and their names are returned", async () => {
    await writeFile(join(directory, "0002_second.sql"), second)
    expect(await migrate({ database, schema: "raw", directory })).toEqual(["0001_first.sql", "0002_second.sql"])
    expect(await migrate({ database: test.url, schema: "raw", directory })).toEqual([])
    const { rows } = await database.query("select version, name from raw.schema_migrations order by version")
    expect(rows).toEqual([
      { version: 1, name: "0001_first.sql" },
      { version: 2, name: "0002_second.sql" },
    ])
  })

  it("ten processes that start together apply each file once, in raw and app of one database", async () => {
    const app = await mkdtemp(join(tmpdir(), "tidemark-migrations-"))
    await writeFile(join(app, "0001_first.sql"), first.replaceAll("raw.", "app."))
    await writeFile(join(directory, "0002_second.sql"), second)
    const runs = Array.from({ length: 10 }, (_, i) =>
      i % 2 === 0
        ? migrate({ database: test.url, schema: "raw", directory })
        : migrate({ database: test.url, schema: "app", directory: app }),
    )
    const applied = (await Promise.all(runs)).flat().sort()
    await rm(app, { recursive: true })
    expect(applied).toEqual(["0001_first.sql", "0001_first.sql", "0002_second.sql"])
  })

  it("a file that fails is rolled back and named", async () => {
    await writeFile(join(directory, "0002_second.sql"), "create table raw.c (x int); select 1 / 0;")
    await expect(migrate({ database, schema: "raw", directory })).rejects.toMatchObject({
      code: "DATABASE_ERROR",
      message: expect.stringContaining("raw/0002_second.sql"),
      data: { sqlState: "22012", migration: "0002_second.sql" },
    })
    const { rows } = await database.query(`select to_regclass('raw.a') as a, to_regclass('raw.c') as c,
      (select max(version) from raw.schema_migrations) as version`)
    expect(rows).toEqual([{ a: "raw.a", c: null, version: 1 }])
  })

  it("an edited released file is rejected", async () => {
    await migrate({ database, schema: "raw", directory })
    await writeFile(join(directory, "0001_first.sql"), `${first} -- edited`)
    await expect(migrate({ database, schema: "raw", directory })).rejects.toMatchObject({
      code: "SCHEMA_CHANGED",
    })
  })

  it("line endings converted by a checkout do not count as an edit", async () => {
    await writeFile(join(directory, "0001_first.sql"), "-- a\ncreate table raw.a (x int);\n")
    await migrate({ database, schema: "raw", directory })
    await writeFile(join(directory, "0001_first.sql"), "-- a\r\ncreate table raw.a (x int);\r\n")
    expect(await migrate({ database, schema: "raw", directory })).toEqual([])
  })

  it("an older release rejects a newer schema", async () => {
    await writeFile(join(directory, "0002_second.sql"), second)
    await migrate({ database, schema: "raw", directory })
    await rm(join(directory, "0002_second.sql"))
    await expect(migrate({ database, schema: "raw", directory })).rejects.toMatchObject({
      code: "SCHEMA_NEWER",
      data: { databaseVersion: 2, knownVersion: 1 },
    })
  })
})
