import { spawn } from "node:child_process"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { tsxLoader } from "../../test/support/chain-server.js"
import { listen } from "../../test/support/listen.js"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { VirtualClock } from "../../test/support/virtual-clock.js"
import { waitUntil } from "../../test/support/wait-until.js"
import { silentLogger } from "../platform/logger.js"
import { Database } from "../postgres/database.js"
import { SharedRate, setShare, sharedRateBytes, takeUse } from "../source/shared-rate.js"
import { postgresRateShares } from "./postgres/postgres-rate-shares.js"
import { RateShareKeeper } from "./rate-share-keeper.js"
import type { RateShares } from "./rate-shares.js"

const limit = 40
let store: TestDatabase
let database: Database
beforeAll(async () => {
  store = await createTestDatabase()
  database = new Database({ url: store.url, applicationName: "test", maxConnections: 4 })
})
beforeEach(() => database.query("delete from raw.rate_shares"))
afterAll(async () => {
  await database.end()
  await store.drop()
})

const clock = new VirtualClock()
let sent: { at: number; calls: number }[] = []
beforeEach(() => {
  clock.advance(60_000)
  sent = []
})

function makeProcess(n: number, shares: RateShares = postgresRateShares(database)) {
  const memory = new SharedArrayBuffer(sharedRateBytes)
  setShare(memory, 1)
  const rate = new SharedRate({ clock }, memory)
  const keeper = new RateShareKeeper({
    ...{ clock, logger: silentLogger, limit, shares },
    processId: `00000000-0000-4000-8000-00000000000${n}`,
    takeUse: () => takeUse(memory),
    apply: (callsPerSecond) => setShare(memory, callsPerSecond),
  })
  return { rate, keeper }
}
type Process = ReturnType<typeof makeProcess>

/** The processes send what they may. */
function send(ms: number, processes: readonly Process[]): number {
  let calls = 0
  for (let i = 0; i < ms; i++) {
    clock.advance(1)
    for (const { rate } of processes) {
      const count = rate.maxCalls
      if (!rate.tryTake(count)) continue
      calls += count
      sent.push({ at: clock.now(), calls: count })
    }
  }
  return calls
}

const mostInASecond = () =>
  Math.max(
    ...sent.map(({ at }) => sent.reduce((sum, one) => sum + (one.at >= at && one.at < at + 1_000 ? one.calls : 0), 0)),
  )

test("the sum stays within the limit in every second while processes come and go, and is used", async () => {
  const [a, b] = [makeProcess(1), makeProcess(2)]
  await a.keeper.runOnce()
  expect(send(5_000, [a])).toBeGreaterThan(0.85 * 5 * limit)
  // The second gets its share only when the first has given it up.
  await b.keeper.runOnce()
  expect(send(1_000, [b])).toBe(0)
  send(500, [a, b])
  for (const process of [a, b, a, b]) {
    await process.keeper.runOnce()
    send(700, [a, b])
  }
  expect(send(5_000, [a, b])).toBeGreaterThan(0.8 * 5 * limit)
  // The second is idle for a while: the first gets most of it.
  for (let i = 0; i < 4; i++) {
    for (const process of [a, b]) await process.keeper.runOnce()
    send(1_000, [a])
  }
  expect(send(5_000, [a])).toBeGreaterThan(0.75 * 5 * limit)
  // The second dies without a word. When its lease is over the first gets all of it.
  await database.query("update raw.rate_shares set expires_at = clock_timestamp()")
  await a.keeper.runOnce()
  expect(send(5_000, [a])).toBeGreaterThan(0.85 * 5 * limit)
  expect(mostInASecond()).toBeLessThanOrEqual(limit)
})

test("a process that stops gives its share back at once", async () => {
  const [a, b] = [makeProcess(1), makeProcess(2)]
  await a.keeper.runOnce()
  await a.keeper.stop()
  expect(send(1_000, [a])).toBe(0)
  await b.keeper.runOnce()
  expect(send(2_000, [b])).toBeGreaterThan(0.85 * 2 * limit)
})

test("while the database cannot be reached a process keeps its share until others may have taken it", async () => {
  let isAway = false
  const real = postgresRateShares(database)
  const away: RateShares = {
    others: async (id) => (isAway ? Promise.reject(new Error("gone")) : real.others(id)),
    hold: async (request) => (isAway ? Promise.reject(new Error("gone")) : real.hold(request)),
    giveBack: async (id) => real.giveBack(id),
  }
  const [a, b] = [makeProcess(1, away), makeProcess(2)]
  for (let i = 0; i < 3; i++) {
    for (const process of [a, b]) await process.keeper.runOnce()
    send(1_000, [a, b])
  }
  isAway = true
  await expect(a.keeper.runOnce()).rejects.toThrow("gone")
  const calls = send(5_000, [a])
  expect(calls).toBeGreaterThan(0.35 * 5 * limit)
  expect(calls).toBeLessThanOrEqual(0.5 * 5 * limit)
  clock.advance(1_000)
  await new Promise((resolve) => setImmediate(resolve))
  await database.query("update raw.rate_shares set expires_at = clock_timestamp()")
  await b.keeper.runOnce()
  sent = []
  expect(send(5_000, [a])).toBeLessThanOrEqual(6)
  expect(send(5_000, [a, b])).toBeGreaterThan(0.8 * 5 * limit)
  expect(mostInASecond()).toBeLessThanOrEqual(limit + 2)
  // Back again, it gets its part once the other uses less.
  isAway = false
  for (const process of [a, b, a, b]) {
    await process.keeper.runOnce()
    send(1_000, [a, b])
  }
  expect(send(5_000, [a])).toBeGreaterThan(0.35 * 5 * limit)
  for (const { keeper } of [a, b]) await keeper.stop()
})

test("whatever the order of their statements, what processes use never adds up to more", async () => {
  const applied = new Map<number, number>()
  const real = postgresRateShares(database)
  const keepers = Array.from({ length: 5 }, (_, n) => {
    let busy = n % 2 === 0
    const keeper = new RateShareKeeper({
      ...{ clock, logger: silentLogger, limit, shares: real },
      processId: `00000000-0000-4000-8000-0000000000a${n}`,
      takeUse: () => {
        busy = !busy
        return { calls: n, waited: busy }
      },
      apply: (callsPerSecond) => {
        applied.set(n, callsPerSecond)
        expect([...applied.values()].reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(limit + 1e-6)
      },
    })
    return keeper
  })
  for (let round = 0; round < 12; round++) {
    clock.advance(2_000)
    await Promise.all(keepers.slice(0, 1 + (round % 5)).map((keeper) => keeper.runOnce()))
  }
  expect(applied.size).toBe(5)
})

test("two processes keep to the limit together, and one gets all of it when the other is killed", async () => {
  const perSecond = 200
  const arrivals: number[] = []
  const node = await listen(
    createServer((request, response) => {
      request.resume().once("end", () => {
        arrivals.push(performance.now())
        response.end()
      })
    }),
  )
  const script = fileURLToPath(new URL("../../test/support/share-holder.ts", import.meta.url))
  const children = [1, 2].map((n) => {
    const options = { url: store.url, node: node.url, limit: perSecond, leaseMs: 3_000, n }
    return spawn(process.execPath, ["--import", tsxLoader, script, JSON.stringify(options)], {
      stdio: ["pipe", "ignore", "inherit"],
    })
  })
  let mostHeld = 0
  const held = async () => {
    const { rows } = await database.query<{ share: number }>(
      "select calls_per_second as share from raw.rate_shares where expires_at > clock_timestamp()",
    )
    const shares = rows.map(({ share }) => share).sort((x, y) => y - x)
    mostHeld = Math.max(
      mostHeld,
      shares.reduce((sum, share) => sum + share, 0),
    )
    return shares
  }
  try {
    await waitUntil(
      async () => {
        const [first, second] = await held()
        return first === perSecond / 2 && second === first && arrivals.length > perSecond
      },
      { what: "two equal shares" },
    )
    children[1]!.kill("SIGKILL")
    await waitUntil(
      async () => {
        const [first, second] = await held()
        return first === perSecond && second === undefined
      },
      { what: "one share of everything" },
    )
    expect(mostHeld).toBeLessThanOrEqual(perSecond + 1e-6)
    // Late arrivals only make the time longer, so this does not depend on how busy the machine is.
    const seconds = (arrivals.at(-1)! - arrivals[0]!) / 1_000
    expect(arrivals.length).toBeLessThanOrEqual(perSecond * (seconds + 1))
  } finally {
    for (const child of children) child.kill("SIGKILL")
    await node.stop()
  }
})
