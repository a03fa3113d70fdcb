import { afterEach, beforeEach, expect, test } from "vitest"
import { type DeriveStore, openDeriveStore } from "../../test/support/derive-store.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { testLedgers } from "../../test/support/test-ledgers.js"
import { waitUntil } from "../../test/support/wait-until.js"
import { systemClock } from "../platform/clock.js"
import { silentLogger } from "../platform/logger.js"
import { systemRandom } from "../platform/random.js"
import { RawCoverageCopier } from "./raw-coverage-copier.js"

const hour = 3_600_000
const deps = { ledgers: testLedgers, clock: systemClock, random: systemRandom, logger: silentLogger }
let store: DeriveStore
let copier: RawCoverageCopier
/** What app knew each time it was said to know something new. */
let told: Promise<string>[]
const copied = async (): Promise<string> => {
  const { rows } = await store.app.query<{ heights: string }>("select heights::text as heights from app.coverage")
  return rows[0]!.heights
}
const stored = (heights: string) => store.raw.query("update raw.coverage set heights = $1", [heights])
const startEvery = (intervalMs: number): void => {
  copier = new RawCoverageCopier({
    ...deps,
    raw: store.raw,
    app: store.app,
    intervalMs,
    onCopied: () => void told.push(copied()),
  })
  copier.start()
}

beforeEach(async () => {
  told = []
  store = await openDeriveStore(livelyBlocks({ seed: 7, from: 0, to: 24 }), {
    workers: [],
    twoDatabases: true,
  })
})
afterEach(async () => {
  await copier.stop()
  await store.close()
})

test("what this process stored is copied at once, and said when app knows of it", async () => {
  startEvery(hour)
  await waitUntil(() => told.length >= 1, { what: "the first copy" })
  await stored("{[0,25)}")
  copier.wake()
  await waitUntil(() => told.length >= 2, { what: "the copy of what was stored" })
  // Another process copied it first, and its end was seen here.
  copier.wake()
  await waitUntil(() => told.length >= 3, { what: "what was there already" })
  await copier.stop()
  expect(await Promise.all(told)).toEqual(["{[0,24)}", "{[0,25)}", "{[0,25)}"])
})

test("what another process stored is found by polling; only a higher end is said", async () => {
  startEvery(5)
  await waitUntil(() => told.length >= 1, { what: "the first copy" })
  await stored("{[0,24),[30,31)}")
  await waitUntil(() => told.length >= 2, { what: "a new end" })
  await stored("{[0,28),[30,31)}")
  await waitUntil(async () => (await copied()) === "{[0,28),[30,31)}", { what: "history" })
  await copier.stop()
  expect(told).toHaveLength(2)
})
