import { cp, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createTestDatabase } from "../../../../../test/support/test-database.js"
import { Database } from "../../../../postgres/database.js"
import { migrate } from "../../../../postgres/migrate.js"
import { migrationsDirectory } from "../../../../postgres/migration-files.js"

test("what was queued before there was one queue stays queued, and answers stay", async () => {
  const old = await mkdtemp(join(tmpdir(), "tidemark-migrations-"))
  for (const name of await readdir(migrationsDirectory("app")))
    if (/^000[1-5]_/.test(name)) await cp(join(migrationsDirectory("app"), name), join(old, name))
  const test_ = await createTestDatabase({ empty: true })
  const database = new Database({ url: test_.url, applicationName: "test" })
  try {
    await migrate({ database, schema: "app", directory: old })
    await database.query(
      `insert into app.token_metadata (contract_address, status, asked_at_height, block_hash, name, attempts, next_attempt_at) values
         ('\\x01', 'queued', null, null, null, 0, '2026-01-02Z'), ('\\x02', 'answered', 7, '\\xab', 'Kept', 2, null),
         ('\\x03', 'silent', 7, '\\xab', null, 3, '2026-01-04Z'), ('\\x04', 'failed', 7, '\\xab', null, 4, '2026-01-03Z')`,
    )
    await database.query("insert into app.contract_code values ('\\xcd', '0x60')")
    await database.query(
      `insert into app.contract_code_hashes
         (address, status, asked_at_height, block_hash, code_hash, code_bytes, attempts, next_attempt_at) values
         ('\\x01', 'queued', null, null, null, null, 1, '2026-01-01Z'), ('\\x02', 'answered', 8, '\\xab', '\\xcd', 1, 1, null),
         ('\\x03', 'empty', 8, '\\xab', null, null, 1, null), ('\\x04', 'failed', 8, '\\xab', null, null, 2, '2026-01-05Z')`,
    )
    await database.query("update app.token_metadata_queue set heights = '{[0,9)}'")
    await database.query("update app.contract_code_queue set heights = '{[0,5),[7,8)}'")
    expect(await migrate({ database, schema: "app" })).toContain("0006_job_queue.sql")
    const texts = async (sql: string) => (await database.query<{ text: string }>(sql)).rows.map(({ text }) => text)
    expect(
      await texts(
        `select concat_ws(' ', queue, subject, attempts, due_at at time zone 'utc', holder) as text from app.job_queue order by id`,
      ),
    ).toEqual([
      "contract_code 0x01 1 2026-01-01 00:00:00",
      "token_metadata 0x01 0 2026-01-02 00:00:00",
      "token_metadata 0x04 4 2026-01-03 00:00:00",
      "token_metadata 0x03 3 2026-01-04 00:00:00",
      "contract_code 0x04 2 2026-01-05 00:00:00",
    ])
    expect(
      await texts("select concat_ws(' ', queue, worker_type, heights) as text from app.queued_heights order by 1"),
    ).toEqual(["contract_code meta_worker {[0,5),[7,8)}", "token_metadata token_metadata_worker {[0,9)}"])
    expect(
      await texts("select concat_ws(' ', contract_address, status, name) as text from app.token_metadata order by 1"),
    ).toEqual(["\\x02 answered Kept", "\\x03 silent", "\\x04 failed"])
    expect(
      await texts(
        "select concat_ws(' ', address, status, code_hash) as text from app.contract_code_hashes order by 1",
      ),
    ).toEqual(["\\x02 answered \\xcd", "\\x03 empty", "\\x04 failed"])
  } finally {
    await database.end()
    await test_.drop()
    await rm(old, { recursive: true })
  }
})
