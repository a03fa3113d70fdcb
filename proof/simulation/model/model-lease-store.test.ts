// The product's own statements on the model of Postgres keep every promise that they keep on Postgres.

import { PostgresLeaseStore } from "../../../src/coordination/postgres/postgres-lease-store.js"
import { describeLeaseStore } from "../../../test/conformance/lease-store.js"
import { seededRandom } from "../../../test/support/seeded-random.js"
import { testLedgers } from "../../../test/support/test-ledgers.js"
import { Scheduler } from "../scheduler.js"
import { insertRow } from "./compile-statement.js"
import { ModelConnection } from "./model-connection.js"
import { ModelDatabase, StatementBook } from "./model-database.js"
import { appShapes, rawShapes } from "./model-schema.js"
import { quickHost } from "./sides.js"

const rowsWritten = {
  name: "rows_written",
  columns: { height: "int8" },
  keyOf: ({ height }: Record<string, unknown>) => height as number,
} as const
const statements = {
  raw: new StatementBook([...rawShapes, rowsWritten], []),
  app: new StatementBook([...appShapes, rowsWritten], []),
}

for (const schema of ["raw", "app"] as const) {
  describeLeaseStore<ModelConnection>(`the lease store on the model of Postgres, schema ${schema}`, async () => {
    const scheduler = new Scheduler()
    const database = new ModelDatabase({ name: schema, scheduler, book: statements[schema] })
    database.table(`${schema}.chain_state`).put({ start_height: 0, chain_epoch: 0 })
    const admin = new ModelConnection(database, quickHost)
    let opened = 0
    return {
      register: (worker) => testLedgers[schema].register(admin, worker),
      snapshot: () => testLedgers[schema].snapshot(admin),
      open: async () =>
        new PostgresLeaseStore({
          executor: new ModelConnection(database, quickHost),
          schema,
          random: seededRandom(++opened),
        }),
      write: (tx, range) =>
        tx.ask((settle) => {
          for (let height = range.from; height < range.to; height++)
            insertRow({ transaction: tx.transaction_! }, { table: database.table("rows_written"), row: { height } })
          settle(null)
        }),
      rows: async () =>
        [...database.table("rows_written").committed()].map(({ height }) => height as number).sort((a, b) => a - b),
      advance: async (ms) => {
        scheduler.now += ms
      },
      rollback: (worker, removed) =>
        admin.transaction(async (tx) => {
          await tx.query(`update ${schema}.chain_state set chain_epoch = chain_epoch + 1`)
          await tx.query(
            `insert into ${schema}.rollbacks (id, epoch, removed) select $2, chain_epoch, $1::int8range from ${schema}.chain_state`,
            [`[${removed.from},${removed.to})`, String(Math.floor(scheduler.now))],
          )
          await tx.query(
            `update ${schema}.coverage set heights = heights - $2::int8range::int8multirange where worker_type = $1`,
            [worker, `[${removed.from},${removed.to})`],
          )
        }),
      close: async () => undefined,
    }
  })
}
