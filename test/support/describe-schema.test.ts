import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Database } from "../../src/postgres/database.js"
import { type MigratedSchema, migrationsDirectory } from "../../src/postgres/migration-files.js"
import { describeSchema } from "./describe-schema.js"
import { type PrivatePostgres, startPostgres15 } from "./private-postgres.js"
import { hasTestBinary } from "./test-binary.js"
import { createTestDatabase, type TestDatabase } from "./test-database.js"

const header = `-- What the migrations of this folder amount to, for reading and review.
-- Rewritten by: UPDATE_SCHEMA=1 npx vitest run test/support/describe-schema.test.ts

`

describe("the kept schema", () => {
  const hasOldest = hasTestBinary("postgres-15")
  let oldest: PrivatePostgres | undefined
  const databases: { readonly test: TestDatabase; readonly database: Database }[] = []
  const open = async (server?: string): Promise<Database> => {
    const test = await createTestDatabase(server ? { server } : {})
    const database = new Database({ url: test.url, applicationName: "test" })
    databases.push({ test, database })
    return database
  }

  beforeAll(async () => {
    if (hasOldest) oldest = await startPostgres15()
  })
  afterAll(async () => {
    for (const { test, database } of databases) {
      await database.end()
      await test.drop()
    }
    await oldest?.remove()
  })

  it.each<MigratedSchema>(["raw", "app"])(
    "migrations/%s/schema.sql describes what the migrations create",
    async (schema) => {
      const described = header + (await describeSchema(await open(), schema))
      const path = join(migrationsDirectory(schema), "schema.sql")
      if (process.env["UPDATE_SCHEMA"] === "1") await writeFile(path, described)
      expect(await readFile(path, "utf8")).toBe(described)
    },
  )

  it.runIf(hasOldest).each<MigratedSchema>(["raw", "app"])(
    "the oldest supported server has the same schema %s",
    async (schema) => {
      const old = await describeSchema(await open(oldest?.url("postgres")), schema)
      expect(old).toBe(await describeSchema(await open(), schema))
      expect(old).toContain(`create table ${schema}.worker_leases (`)
    },
  )

  it("columns, constraints, indexes, views, functions and types are described; partitions are not", async () => {
    const database = await open()
    await database.query(`
      create schema s;
      create type s.mood as enum ('glad', 'sad');
      create domain s.height as int8 check (value >= 0);
      create table s.t (h s.height not null, m s.mood default 'glad', n numeric(78, 0), primary key (h),
        constraint n_positive check (n > 0)) partition by range (h);
      create table s.t_p0 partition of s.t for values from (0) to (10);
      create index t_by_n on s.t (n) where n > 5;
      create view s.v as select h, n from s.t where n > 7;
      create function s.f(a int) returns int language sql immutable as 'select a + 1';`)
    const text = await describeSchema(database, "s")
    expect(text).toBe(
      `create domain s.height as bigint CHECK ((VALUE >= 0));

create type s.mood as enum ('glad', 'sad');

create table s.t (
  h s.height not null,
  m s.mood default 'glad'::s.mood,
  n numeric(78,0),
  constraint t_pkey PRIMARY KEY (h),
  constraint n_positive CHECK ((n > (0)::numeric))
) partition by range (h);

CREATE INDEX t_by_n ON ONLY s.t USING btree (n) WHERE (n > (5)::numeric);

create view s.v as select
  h s.height,
  n numeric(78,0);

create function s.f(a integer) returns integer language sql immutable as $$select a + 1$$;
`,
    )
  })
})
