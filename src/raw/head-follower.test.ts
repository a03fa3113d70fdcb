import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { startChainServer } from "../../test/support/chain-server.js"
import { openRawStore, type RawStore } from "../../test/support/raw-store.js"
import { testLedgers } from "../../test/support/test-ledgers.js"
import { postgresElections } from "../coordination/postgres/postgres-elections.js"
import type { ProcessIdentity } from "../coordination/process-identity.js"
import type { Hex } from "../domain/linked-block.js"
import { systemClock } from "../platform/clock.js"
import { silentLogger } from "../platform/logger.js"
import { systemRandom } from "../platform/random.js"
import { Connection } from "../postgres/connection.js"
import type { BlockSource, ChainHead } from "../source/block-source.js"
import { HeadFollower } from "./head-follower.js"
import type { ReorgGuard, ReorgVerdict } from "./reorg-guard.js"

// There is nothing to store: the tests check which process asks for the head, and when.
const head: ChainHead = { height: 0, hash: `0x${"ab".repeat(32)}` as Hex, finalizedHeight: 1 }
const signal = new AbortController().signal
let store: RawStore
const followers: HeadFollower[] = []

beforeEach(async () => {
  store = await openRawStore()
})
afterEach(async () => {
  for (const follower of followers.splice(0)) await follower.stop()
  await store.close()
})

/** Makes the follower look silent for a minute. */
const silence = (): Promise<unknown> =>
  store.database.query("update raw.chain_state set followed_at = followed_at - interval '1 minute'")

const finality = async (): Promise<number> => {
  const { rows } = await store.database.query<{ height: number }>(
    "select finalized_height::int4 as height from raw.chain_state",
  )
  return rows[0]!.height
}

/** Containers with one hostname: all have the same name. */
const processOf = (id: string): ProcessIdentity => ({ id, name: "host:1" })

function follow(
  asked: BlockSource["head"],
  options: {
    announced?: boolean
    holder?: string
    check?: ReorgGuard["check"]
    source?: BlockSource
    takeOverMs?: number
  } = {},
): HeadFollower {
  const source = Object.assign(options.source ?? store.source("http://127.0.0.1:1"), { head: asked })
  const follower = new HeadFollower({
    connect: () => Connection.open({ url: store.url, applicationName: "test" }),
    elections: postgresElections,
    chain: testLedgers.raw,
    ingester: store.ingester(source),
    source,
    clock: systemClock,
    logger: silentLogger,
    random: systemRandom,
    holder: processOf(options.holder ?? "test"),
    endBlock: undefined,
    finalityDepth: 10,
    leaseTtlMs: 10_000,
    pollMs: 20,
    takeOverMs: options.takeOverMs ?? 1_000,
    announced: () => options.announced ?? false,
    mayClaim: () => true,
    onOutcome: () => undefined,
    onHead: () => undefined,
    reorgs: { check: options.check ?? (async () => "none") },
  })
  followers.push(follower)
  return follower
}

describe("the head", () => {
  test("is requested urgently, and only by the process that follows it", async () => {
    const urgent: unknown[] = []
    let other: number | undefined
    const idle = follow(() => Promise.reject(new Error("asked by a process that does not follow")))
    const follower = follow(async (options) => {
      urgent.push(options.urgent)
      other = await idle.runOnce(signal)
      return head
    })
    expect(await follower.runOnce(signal)).toBeGreaterThanOrEqual(20)
    expect(urgent).toEqual([true])
    expect([follower.following, idle.following, other]).toEqual([true, false, undefined])
  })

  test("stays with its follower between runs, and passes to another process when that falls silent", async () => {
    let comparisons = 0
    const check = async () => {
      comparisons++
      return "none" as const
    }
    const first = follow(async () => head, { holder: "first", check })
    const second = follow(async () => head, { holder: "second", check })
    for (let i = 0; i < 3; i++) {
      await first.runOnce(signal)
      await second.runOnce(signal)
    }
    expect([first.following, second.following, comparisons]).toEqual([true, false, 1])
    await silence()
    await second.runOnce(signal)
    await first.runOnce(signal)
    expect([first.following, second.following, comparisons]).toEqual([false, true, 2])
    await testLedgers.raw.takeHeadPost(store.database, processOf("for a moment, unnoticed"))
    await silence()
    await second.runOnce(signal)
    expect([second.following, comparisons]).toEqual([true, 3])
  })

  test("shows people the name of its follower, which decides nothing", async () => {
    await follow(async () => head, { holder: "first" }).runOnce(signal)
    const { rows } = await store.database.query("select followed_by, follower_name from raw.chain_state")
    expect(rows).toEqual([{ followed_by: "first", follower_name: "host:1" }])
    const other = follow(async () => head, { holder: "second" })
    await other.runOnce(signal)
    expect(other.following).toBe(false)
  })

  test("records finality above stored blocks after they are compared, not before", async () => {
    await store.database.query(
      `update raw.coverage set heights = '{[0,3)}';
       update raw.chain_state set finalized_height = 0, live_from = 0`,
    )
    const seen: number[] = []
    const follower = follow(async () => head, {
      check: async () => {
        seen.push(await finality())
        return "none"
      },
    })
    await follower.runOnce(signal)
    expect([...seen, await finality()]).toEqual([0, 1])
  })

  test("records no finality above stored blocks that no provider could compare, and goes on", async () => {
    await store.database.query(
      `update raw.coverage set heights = '{[0,3)}';
       update raw.chain_state set finalized_height = 0, live_from = 0`,
    )
    let verdict: ReorgVerdict = "partly"
    let comparisons = 0
    const check = async () => {
      comparisons++
      return verdict
    }
    await follow(async () => head, { check }).runOnce(signal)
    expect([await finality(), comparisons]).toEqual([0, 1])
    verdict = "none"
    await silence()
    await follow(async () => head, { check, holder: "another" }).runOnce(signal)
    expect([await finality(), comparisons]).toEqual([1, 2])
  })

  test("is compared outside of the election's transaction, and stays with its follower for as long as that takes", async () => {
    const takeOverMs = 400
    const second = follow(async () => head, { holder: "second", takeOverMs })
    const followedAt = async (): Promise<string> =>
      (await store.database.query<{ at: string }>("select followed_at::text as at from raw.chain_state")).rows[0]!.at
    let elsewhere = false
    const first = follow(async () => head, {
      holder: "first",
      takeOverMs,
      check: async () => {
        // The server would end an idle transaction of an election, and with it the post.
        const { rows } = await store.database.query(
          `select 1 from pg_stat_activity
           where datname = current_database() and state like 'idle in transaction%'`,
        )
        expect(rows).toEqual([])
        const seen = new Set<string>()
        while (seen.size < 6) {
          seen.add(await followedAt())
          await second.runOnce(signal)
          elsewhere ||= second.following
        }
        return "none"
      },
    })
    await first.runOnce(signal)
    expect([first.following, elsewhere]).toEqual([true, false])
  })

  test("is not stored by a process that lost it during its comparison, and finality stays", async () => {
    await store.database.query(
      `update raw.coverage set heights = '{[0,3)}';
       update raw.chain_state set finalized_height = 0, live_from = 0`,
    )
    let comparisons = 0
    const follower = follow(async () => head, {
      check: async () => {
        if (++comparisons > 1) return "none"
        await testLedgers.raw.takeHeadPost(store.database, processOf("second"))
        // It may be elected again at once, but has not compared what the other process stored.
        await silence()
        return "none"
      },
    })
    await follower.runOnce(signal)
    expect([comparisons, await finality()]).toEqual([1, 0])
    await silence()
    await follower.runOnce(signal)
    expect([comparisons, await finality()]).toEqual([2, 1])
  })

  test("moves on past a block with a bug, without losing the election", async () => {
    const server = await startChainServer({ blocks: 6, transactionsPerBlock: 1, logsPerBlock: 1, holders: 2 })
    try {
      const source = store.source(server.url)
      const fetchRange = source.fetchRange.bind(source)
      source.fetchRange = async function* (range, options) {
        if (range.from <= 2 && range.to > 2) throw new TypeError("undefined is not a block")
        yield* fetchRange(range, options)
      }
      const top = await source.head({ signal })
      const follower = follow(async () => ({ ...top, finalizedHeight: 0 }), { source })
      await follower.runOnce(signal)
      const { rows } = await store.database.query("select height::int4 as height from raw.blocks order by height")
      expect([follower.following, rows.map(({ height }) => height)]).toEqual([true, [0, 1, 3, 4, 5, 6]])
    } finally {
      await server.stop()
    }
  })

  test("stores no block of a process that lost the election while it fetched, and the next follower compares first", async () => {
    const server = await startChainServer({ blocks: 4, transactionsPerBlock: 1, logsPerBlock: 1, holders: 2 })
    try {
      const source = store.source(server.url)
      const fetchRange = source.fetchRange.bind(source)
      let takeOver = true
      source.fetchRange = async function* (range, options) {
        yield* fetchRange(range, options)
        if (takeOver) await testLedgers.raw.takeHeadPost(store.database, processOf("second"))
      }
      const top = await source.head({ signal })
      let comparisons = 0
      const check = async () => {
        comparisons++
        return "none" as const
      }
      const first = follow(async () => ({ ...top, finalizedHeight: 0 }), { holder: "first", check, source })
      await expect(first.runOnce(signal)).rejects.toMatchObject({ code: "POST_LOST" })
      const stored = async () => (await store.database.query("select from raw.blocks")).rows.length
      expect([await stored(), comparisons]).toEqual([0, 1])
      takeOver = false
      await first.runOnce(signal)
      expect([first.following, await stored()]).toEqual([false, 0])
      await silence()
      await store.database.query("update raw.worker_leases set next_attempt_at = null")
      await first.runOnce(signal)
      expect([first.following, await stored(), comparisons]).toEqual([true, top.height + 1, 2])
    } finally {
      await server.stop()
    }
  })

  test("is taken over after a pending commit above finality ends, and finality does not rise over what that stored", async () => {
    await store.database.query("update raw.chain_state set finalized_height = 0, live_from = 0")
    await testLedgers.raw.takeHeadPost(store.database, processOf("first"))
    await silence()
    let compared = false
    const second = follow(async () => head, {
      holder: "second",
      check: async () => {
        compared = true
        return "waiting"
      },
    })
    let over: Promise<unknown> | undefined
    await store.database.transaction(async (tx) => {
      await testLedgers.raw.assertHeadPost(tx, processOf("first"))
      await tx.query("update raw.coverage set heights = '{[0,3)}'")
      over = second.runOnce(signal)
      await systemClock.sleep(200)
      expect(compared).toBe(false)
    })
    await over
    expect([compared, await finality()]).toEqual([true, 0])
    await expect(
      store.database.transaction((tx) => testLedgers.raw.assertHeadPost(tx, processOf("first"))),
    ).rejects.toMatchObject({
      code: "POST_LOST",
    })
  })

  test("is polled less often where it is announced", async () => {
    expect(await follow(async () => head, { announced: true }).runOnce(signal)).toBeUndefined()
  })

  test("is requested again at once when it moved during the answer", async () => {
    const follower: HeadFollower = follow(async () => {
      follower.headMoved()
      return head
    })
    expect(await follower.runOnce(signal)).toBe(0)
  })

  test("takes at most a fifth of a slow node's time", async () => {
    const follower = follow(async () => {
      await systemClock.sleep(40)
      return head
    })
    expect(await follower.runOnce(signal)).toBeGreaterThanOrEqual(4 * 39)
  })
})
