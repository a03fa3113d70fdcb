import { expect, test } from "vitest"
import { startPrivatePostgres } from "../../test/support/private-postgres.js"
import { systemClock } from "../platform/clock.js"
import { silentLogger } from "../platform/logger.js"
import { Database } from "../postgres/database.js"
import { migrate } from "../postgres/migrate.js"
import { OutboxFeed } from "./outbox-feed.js"
import { ServedChain } from "./served-chain.js"

test("a rollback is given out once no crash can take its number back", async () => {
  // Commits that do not wait for the disk reach it only with one that does.
  const postgres = await startPrivatePostgres({ settings: { wal_writer_delay: "10s", autovacuum: "off" } })
  let database: Database | undefined
  try {
    await postgres.ensureDatabase("feed")
    const url = postgres.url("feed")
    await migrate({ database: url, schema: "app" })
    const open = () => new Database({ url, applicationName: "test", maxConnections: 2 })
    database = open()
    const writer = database
    const tell = (kind: string, { unflushed }: { unflushed: boolean }, to: Database) =>
      to.transaction(
        (tx) =>
          tx.query("insert into app.outbox (id, kind, epoch, payload) values (gen_random_uuid(), $1, 0, '{}')", [
            kind,
          ]),
        { unflushed },
      )
    await tell("status", { unflushed: false }, writer)
    const chain = new ServedChain({ name: "a", raw: writer, app: writer, clock: systemClock })
    let served = chain
    const feed = new OutboxFeed({
      chain: { name: "a", read: (store, work) => served.read(store, work) },
      ...{ clock: systemClock, logger: silentLogger, intervalMs: 1_000 },
    })
    feed.listen(() => undefined)
    await feed.runOnce()
    const start = feed.last!
    const kinds = () => feed.after(start)!.map(({ text }) => /^event: (\w+)/.exec(text)![1])
    await tell("rollback", { unflushed: true }, writer)
    for (let at = 0; at < 3; at++) await feed.runOnce()
    expect(kinds()).toEqual([])
    await database.end()
    await postgres.stop("immediate")
    await postgres.start()
    const again = open()
    database = again
    served = new ServedChain({ name: "a", raw: again, app: again, clock: systemClock })
    // The crash took the rollback: its number goes to another entry.
    await tell("watermark", { unflushed: false }, again)
    await feed.runOnce()
    expect(kinds()).toEqual(["watermark"])
    await tell("rollback", { unflushed: true }, again)
    await feed.runOnce()
    expect(kinds()).toEqual(["watermark"])
    await again.query("create table public.flushes ()")
    await feed.runOnce()
    expect(kinds()).toEqual(["watermark", "rollback"])
  } finally {
    await database?.end()
    await postgres.remove()
  }
}, 60_000)
