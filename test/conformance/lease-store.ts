// What every lease store promises, as facts. Run by the Postgres store and by the model in memory.

import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { CoordinationSnapshot, WorkerCoverage } from "../../src/coordination/coverage-ledger.js"
import type { FencedCommits } from "../../src/coordination/fenced-commits.js"
import type {
  ClaimRequest,
  GroupClaimRequest,
  Lease,
  LeaseStore,
  OperatedLeases,
  ReleaseRequest,
} from "../../src/coordination/lease-store.js"
import type { BlockRange } from "../../src/domain/block-range.js"
import { watermarkEnd } from "../../src/domain/range-set.js"

type Store<Tx> = LeaseStore & FencedCommits<Tx> & OperatedLeases

export interface LeaseStoreHarness<Tx> {
  /** As one process sees it. Each call is another process: its own connection, the same tables. */
  open(): Promise<Store<Tx>>
  register(worker: string): Promise<void>
  snapshot(): Promise<CoordinationSnapshot>
  /** Writes one row for each height, as data of the commit. */
  write(tx: Tx, range: BlockRange): Promise<void>
  /** Heights with a row, in order. */
  rows(): Promise<number[]>
  /** Lets time pass for everything the store remembers. */
  advance(ms: number): Promise<void>
  /** Records a finished rollback of these heights at the next chain epoch, and cuts the worker's coverage. */
  rollback(worker: string, removed: BlockRange): Promise<void>
  close(): Promise<void>
}

const ttlMs = 30_000
const request = (over: Partial<ClaimRequest> = {}): ClaimRequest => ({
  worker: "w",
  holder: "test",
  regions: [{ from: 0, to: 30 }],
  rangeSize: 10,
  maxBlocks: 10,
  order: "oldest",
  ttlMs,
  dependencies: [],
  ...over,
})
const failure = (over: Partial<ReleaseRequest> = {}): ReleaseRequest => ({
  cause: "failure",
  error: { code: "VERIFY_FAILED", message: "bad block" },
  ...over,
})

export function describeLeaseStore<Tx>(name: string, make: () => Promise<LeaseStoreHarness<Tx>>): void {
  describe(name, () => {
    let harness: LeaseStoreHarness<Tx>
    let store: Store<Tx>
    let other: Store<Tx>

    beforeEach(async () => {
      harness = await make()
      store = await harness.open()
      other = await harness.open()
      for (const worker of ["w", "up", "down"]) await harness.register(worker)
    })
    afterEach(() => harness.close())

    const claim = async (over?: Partial<ClaimRequest>): Promise<Lease> => {
      const lease = await store.claim(request(over))
      expect(lease).toBeDefined()
      return lease!
    }
    const commit = (lease: Lease, by = store): Promise<void> =>
      by.commit(lease, { write: (tx) => harness.write(tx, lease.range) })
    const coverageOf = async (worker = "w"): Promise<WorkerCoverage> =>
      (await harness.snapshot()).coverage.find((row) => row.worker === worker)!
    const heights = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i)

    test("claims are cut at multiples of the range size, oldest first, and never overlap", async () => {
      const ranges = []
      for (const by of [store, other, store]) {
        ranges.push((await by.claim(request({ regions: [{ from: 3, to: 24 }] })))!.range)
      }
      expect(ranges).toEqual([
        { from: 3, to: 10 },
        { from: 10, to: 20 },
        { from: 20, to: 24 },
      ])
      expect(await other.claim(request({ regions: [{ from: 3, to: 24 }] }))).toBeUndefined()
    })

    test("newest first takes the last gap from its end", async () => {
      const first = await claim({ order: "newest", regions: [{ from: 0, to: 24 }], maxBlocks: 3 })
      const second = await claim({ order: "newest", regions: [{ from: 0, to: 24 }] })
      expect([first.range, second.range]).toEqual([
        { from: 21, to: 24 },
        { from: 20, to: 21 },
      ])
    })

    test("the first region with anything to do comes first", async () => {
      const regions = [
        { from: 20, to: 25 },
        { from: 0, to: 20 },
      ]
      expect((await claim({ regions })).range).toEqual({ from: 20, to: 25 })
      expect((await claim({ regions })).range).toEqual({ from: 0, to: 10 })
    })

    test("another range size later never overlaps what is held or done", async () => {
      await commit(await claim({ regions: [{ from: 0, to: 5 }] }))
      await claim({ regions: [{ from: 7, to: 9 }] })
      const ranges = []
      for (let i = 0; i < 2; i++) ranges.push((await claim({ rangeSize: 1_000, maxBlocks: 1_000 })).range)
      expect(ranges).toEqual([
        { from: 5, to: 7 },
        { from: 9, to: 30 },
      ])
    })

    test("a commit makes data and coverage true together", async () => {
      const lease = await claim()
      await store.commit(lease, {
        write: async (tx) => {
          await harness.write(tx, lease.range)
          expect(await harness.rows()).toEqual([])
        },
      })
      expect(await harness.rows()).toEqual(heights(0, 10))
      expect((await coverageOf()).heights).toEqual([{ from: 0, to: 10 }])
    })

    test("a commit whose data fails leaves nothing behind and keeps the lease", async () => {
      const lease = await claim()
      const failing = store.commit(lease, {
        write: async (tx) => {
          await harness.write(tx, lease.range)
          throw new Error("disk on fire")
        },
      })
      await expect(failing).rejects.toThrow("disk on fire")
      expect(await harness.rows()).toEqual([])
      await commit(lease)
      expect(await harness.rows()).toEqual(heights(0, 10))
    })

    test("a refused check leaves nothing behind", async () => {
      const lease = await claim()
      const refused = store.commit(lease, {
        write: (tx) => harness.write(tx, lease.range),
        check: () => Promise.reject(new Error("seam")),
      })
      await expect(refused).rejects.toThrow("seam")
      expect(await harness.rows()).toEqual([])
      expect((await coverageOf()).heights).toEqual([])
    })

    test("a late commit after the lease was reaped changes nothing", async () => {
      const lease = await claim()
      await harness.advance(ttlMs + 1)
      expect((await other.reap()).expired).toBe(1)
      await expect(commit(lease)).rejects.toMatchObject({ code: "LEASE_LOST" })
      expect(await harness.rows()).toEqual([])
    })

    test("a late commit cannot complete, and a late release cannot fail, the successor's lease", async () => {
      const late = await claim()
      await harness.advance(ttlMs + 1)
      await store.reap()
      await harness.advance(120_000)
      const successor = (await other.claim(request()))!
      expect(successor.id).toBe(late.id)
      await expect(commit(late)).rejects.toMatchObject({ code: "LEASE_LOST" })
      expect(await store.release(late, failure())).toBe(false)
      expect(await store.renew([late])).toEqual([])
      await commit(successor, other)
      expect(await harness.rows()).toEqual(heights(0, 10))
    })

    test("committing again after an answer that got lost doubles nothing", async () => {
      const lease = await claim()
      await commit(lease)
      await expect(store.commit(lease, { write: async () => undefined })).rejects.toMatchObject({
        code: "LEASE_LOST",
      })
      expect((await coverageOf()).heights).toEqual([{ from: 0, to: 10 }])
    })

    test("a renewed lease lives on, and renewal names the ones still held", async () => {
      const lease = await claim()
      await harness.advance(ttlMs - 1_000)
      expect(await store.renew([lease])).toMatchObject([{ id: lease.id, epoch: lease.epoch }])
      await harness.advance(ttlMs - 1_000)
      expect((await other.reap()).expired).toBe(0)
      await commit(lease)
    })

    test("an attempt is counted once, at the claim; outage, rollback and shutdown give it back", async () => {
      for (const cause of ["outage", "rollback", "shutdown"] as const) {
        const lease = await claim({ maxBlocks: 1 })
        expect(lease.attempt).toBe(1)
        expect(await store.release(lease, { cause })).toBe(true)
        await harness.advance(120_000)
      }
      const lease = await claim({ maxBlocks: 1 })
      await store.release(lease, failure())
      await harness.advance(120_000)
      expect((await claim({ maxBlocks: 1 })).attempt).toBe(2)
    })

    test("a claim in order takes nothing above a range that is unfinished", async () => {
      const lease = await claim({ inOrder: true })
      expect(await store.claim(request({ inOrder: true }))).toBeUndefined()
      await store.release(lease, failure())
      expect(await store.claim(request({ inOrder: true }))).toBeUndefined()
      await harness.advance(120_000)
      await commit(await claim({ inOrder: true }))
      expect((await claim({ inOrder: true })).range).toEqual({ from: 10, to: 20 })
    })

    test("a claim in order takes no upper half while the lower one waits for its next attempt", async () => {
      for (let i = 0; i < 3; i++) {
        await store.release(await claim({ inOrder: true }), failure())
        await harness.advance(120_000)
      }
      const lower = await claim({ inOrder: true })
      expect(lower.range).toEqual({ from: 0, to: 5 })
      expect(await store.claim(request({ inOrder: true }))).toBeUndefined()
      await store.release(lower, failure())
      expect(await store.claim(request({ inOrder: true }))).toBeUndefined()
      await harness.advance(120_000)
      await commit(await claim({ inOrder: true }))
      expect((await claim({ inOrder: true })).range).toEqual({ from: 5, to: 10 })
    })

    test("a claim in order also waits for an unfinished range that begins below its region", async () => {
      const ahead = { inOrder: true, regions: [{ from: 4, to: 40 }] }
      const lease = await claim({ inOrder: true })
      expect(await store.claim(request(ahead))).toBeUndefined()
      await store.release(lease, failure())
      expect(await store.claim(request(ahead))).toBeUndefined()
      await harness.advance(120_000)
      await commit(await claim(ahead))
      expect((await coverageOf()).heights).toEqual([{ from: 4, to: 10 }])
      expect((await claim(ahead)).range).toEqual({ from: 10, to: 20 })
    })

    test("a claim in order does not wait for ever on one block that keeps failing", async () => {
      await store.release(await claim({ inOrder: true, maxBlocks: 1 }), failure())
      for (let i = 0; i < 2; i++) {
        expect(await store.claim(request({ inOrder: true }))).toBeUndefined()
        await harness.advance(120_000)
        await store.release(await claim({ inOrder: true }), failure())
      }
      expect((await claim({ inOrder: true })).range).toEqual({ from: 1, to: 10 })
    })

    test("a block with a bug costs no attempt, is never DEAD, waits a minute each time, and holds nothing else up", async () => {
      const bug = { cause: "bug", error: { code: "BUG", message: "undefined is not a block" } } as const
      const regions = [{ from: 0, to: 1 }]
      for (let i = 0; i < 25; i++) {
        const lease = await claim({ regions })
        expect(lease.attempt).toBe(1)
        await store.release(lease, bug)
        await harness.advance(59_000)
        expect(await store.claim(request({ regions }))).toBeUndefined()
        await harness.advance(2_000)
      }
      await store.release(await claim({ regions }), bug)
      const { leases } = await harness.snapshot()
      expect(leases).toMatchObject([{ status: "FAILED", attempt: 0, lastErrorCode: "BUG" }])
      expect((await claim({ inOrder: true })).range).toEqual({ from: 1, to: 10 })
    })

    test("ranges that failed in the same moment are not due in the same moment", async () => {
      const leases = []
      for (let i = 0; i < 12; i++) leases.push(await claim({ maxBlocks: 2 }))
      for (const lease of leases) await store.release(lease, { cause: "outage" })
      const left = (await harness.snapshot()).leases
      const waits = leases.map(({ id }) => left.find((lease) => lease.id === id)!.nextAttemptInMs!)
      // Released one after the other: with equal waits they would be due in that order, however slow this is.
      expect(waits).not.toEqual(waits.toSorted((a, b) => a - b))
    })

    test("a lease is renewed while its holder is busy writing", async () => {
      const lease = await claim()
      await store.commit(lease, {
        write: async (tx) => {
          await harness.write(tx, lease.range)
          await harness.advance(ttlMs - 1_000)
          expect(await other.renew([lease])).toHaveLength(1)
          await harness.advance(ttlMs - 1_000)
          expect((await other.reap()).expired).toBe(0)
        },
      })
      expect(await harness.rows()).toEqual(heights(0, 10))
    })

    test("a failed range waits for its backoff and then comes before new ones", async () => {
      const lease = await claim()
      await store.release(lease, failure())
      expect((await claim()).range).toEqual({ from: 10, to: 20 })
      await harness.advance(120_000)
      expect((await claim()).range).toEqual(lease.range)
    })

    test("a failure that names its height is split around that block at once", async () => {
      const lease = await claim()
      await store.release(lease, failure({ height: 4 }))
      const { leases } = await harness.snapshot()
      expect(leases.map(({ range, status, attempt }) => ({ range, status, attempt }))).toEqual([
        { range: { from: 0, to: 4 }, status: "FAILED", attempt: 0 },
        { range: { from: 4, to: 5 }, status: "FAILED", attempt: 0 },
        { range: { from: 5, to: 10 }, status: "FAILED", attempt: 0 },
      ])
      expect(leases.map(({ epoch }) => epoch)).not.toContain(lease.epoch)
      await expect(commit(lease)).rejects.toMatchObject({ code: "LEASE_LOST" })
    })

    test.each([
      ["a range that fails without a height is halved after three tries", 3, failure()],
      ["a bug without a height is isolated by halving, from the first time", 1, { cause: "bug" } as const],
    ])("%s", async (_, times, end) => {
      for (let i = 0; i < times; i++) {
        await store.release(await claim({ regions: [{ from: 0, to: 10 }] }), end)
        await harness.advance(120_000)
      }
      const { leases } = await harness.snapshot()
      expect(leases.map(({ range }) => range)).toEqual([
        { from: 0, to: 5 },
        { from: 5, to: 10 },
      ])
    })

    test("only one block dies, its neighbours complete, and the watermark stops in front of it", async () => {
      await store.release(await claim({ regions: [{ from: 0, to: 10 }] }), failure({ height: 4 }))
      for (let i = 0; i < 40; i++) {
        await harness.advance(120_000)
        const lease = await store.claim(request({ regions: [{ from: 0, to: 10 }] }))
        if (!lease) break
        if (lease.range.from === 4) await store.release(lease, failure())
        else await commit(lease)
      }
      const { leases } = await harness.snapshot()
      expect(leases).toMatchObject([
        {
          range: { from: 4, to: 5 },
          status: "DEAD",
          attempt: 20,
          lastErrorCode: "VERIFY_FAILED",
          lastError: "bad block",
        },
      ])
      expect(watermarkEnd((await coverageOf()).heights, 0)).toBe(4)
      expect(await harness.rows()).toEqual([...heights(0, 4), ...heights(5, 10)])
      // Retried by a person it is done as if nothing had been.
      expect(await store.retry({ actor: "me", worker: "w", height: 4 })).toBe(true)
      const revived = await claim({ regions: [{ from: 0, to: 10 }] })
      expect(revived.attempt).toBe(1)
      await commit(revived)
      expect((await coverageOf()).heights).toEqual([{ from: 0, to: 10 }])
    })

    test("a skipped block counts as done without data, and only a dead one can be skipped", async () => {
      await store.release(await claim({ regions: [{ from: 0, to: 10 }] }), failure({ height: 4 }))
      expect(await store.skip({ actor: "me", worker: "w", height: 4 })).toBe(false)
      for (let i = 0; i < 20; i++) {
        await harness.advance(120_000)
        await store.release(await claim({ regions: [{ from: 4, to: 5 }] }), failure())
      }
      expect(await store.skip({ actor: "me", worker: "w", height: 4 })).toBe(true)
      expect((await coverageOf()).skipped).toEqual([{ from: 4, to: 5 }])
      expect(await store.claim(request({ regions: [{ from: 4, to: 5 }] }))).toBeUndefined()
    })

    test("a hole without any lease is found by the next claim and holds the watermark", async () => {
      await commit(await claim({ regions: [{ from: 10, to: 20 }] }))
      expect(watermarkEnd((await coverageOf()).heights, 0)).toBe(0)
      expect((await claim()).range).toEqual({ from: 0, to: 10 })
    })

    test("a range is claimable only where every dependency covers every height of it", async () => {
      await commit(await claim({ worker: "up", regions: [{ from: 0, to: 10 }] }))
      await commit(await claim({ worker: "up", regions: [{ from: 14, to: 20 }] }))
      const dependent = { worker: "down", dependencies: ["up"] }
      expect((await claim(dependent)).range).toEqual({ from: 0, to: 10 })
      expect((await claim(dependent)).range).toEqual({ from: 14, to: 20 })
      expect(await store.claim(request(dependent))).toBeUndefined()
    })

    test("a dependency that was lowered after the claim refuses the commit", async () => {
      await commit(await claim({ worker: "up", regions: [{ from: 0, to: 10 }] }))
      const lease = await claim({ worker: "down", dependencies: ["up"] })
      await harness.rollback("up", { from: 8, to: 9 })
      const late = { ...lease, chainEpoch: lease.chainEpoch + 1 }
      const commitLate = store.commit(late, { write: async () => undefined })
      await expect(commitLate).rejects.toMatchObject({ code: "NOT_COVERED" })
    })

    test("a rollback after the claim refuses what it reaches and leaves the rest alone", async () => {
      const below = await claim({ regions: [{ from: 0, to: 10 }] })
      const reached = await claim({ regions: [{ from: 10, to: 20 }] })
      await harness.rollback("w", { from: 15, to: 1_000 })
      await expect(commit(reached)).rejects.toMatchObject({ code: "ROLLED_BACK" })
      await commit(below)
      expect(await harness.rows()).toEqual(heights(0, 10))
      const again = await claim({ regions: [{ from: 20, to: 30 }] })
      await commit(again)
      expect((await coverageOf()).heights).toEqual([
        { from: 0, to: 10 },
        { from: 20, to: 30 },
      ])
    })

    test("of two neighbours in flight the second to commit sees the first", async () => {
      const left = await claim({ regions: [{ from: 0, to: 10 }] })
      const right = (await other.claim(request({ regions: [{ from: 10, to: 20 }] })))!
      const seen: number[][] = []
      const checked = (by: Store<Tx>, lease: Lease): Promise<void> =>
        by.commit(lease, {
          write: (tx) => harness.write(tx, lease.range),
          check: async () => {
            seen.push(await harness.rows())
          },
        })
      await Promise.all([checked(store, left), checked(other, right)])
      expect(seen[0]).toEqual([])
      expect(seen[1]!.length).toBe(10)
    })

    test("a failed lease that crosses the end of the region is cut there, and its rest stays due", async () => {
      await store.release(await claim({ regions: [{ from: 0, to: 10 }] }), { cause: "shutdown" })
      const part = await claim({ regions: [{ from: 0, to: 6 }] })
      expect(part.range).toEqual({ from: 0, to: 6 })
      expect((await claim({ regions: [{ from: 0, to: 10 }] })).range).toEqual({ from: 6, to: 10 })
    })

    test("what is done is forgotten as a lease after a day, and stays done", async () => {
      await commit(await claim())
      await harness.advance(86_400_000 + 1)
      expect((await store.reap()).pruned).toBe(1)
      expect((await coverageOf()).heights).toEqual([{ from: 0, to: 10 }])
      expect((await claim()).range).toEqual({ from: 10, to: 20 })
    })

    describe("a group of workers", () => {
      const members = [
        { worker: "up", dependencies: [] },
        { worker: "down", dependencies: ["up"] },
      ]
      const groupRequest = (over: Partial<GroupClaimRequest> = {}): GroupClaimRequest => {
        const { worker: _, dependencies: __, ...rest } = request()
        return { ...rest, members, ...over }
      }
      const shape = (leases: readonly Lease[]) =>
        leases.map(({ worker, range }) => `${worker} ${range.from}-${range.to}`)

      test("takes one range together, a dependent with its dependency, and commits all of it or nothing", async () => {
        const leases = await store.claimGroup(groupRequest())
        expect(shape(leases)).toEqual(["up 0-10", "down 0-10"])
        const range = leases[0]!.range
        await store.release(leases[1]!, { cause: "withdrawn" })
        const both = store.commitGroup(leases, { write: (tx) => harness.write(tx, range) })
        await expect(both).rejects.toMatchObject({ code: "LEASE_LOST" })
        expect(await harness.rows()).toEqual([])
        await store.commitGroup([leases[0]!], { write: (tx) => harness.write(tx, range) })
        expect((await coverageOf("up")).heights).toEqual([{ from: 0, to: 10 }])
        expect((await coverageOf("down")).heights).toEqual([])
      })

      test("a dependent without its dependency in the group waits for its coverage", async () => {
        const alone = groupRequest({ members: [members[1]!] })
        expect(await store.claimGroup(alone)).toEqual([])
        const [up] = await store.claimGroup(groupRequest({ members: [members[0]!] }))
        expect(await store.claimGroup(alone)).toEqual([])
        await store.commitGroup([up!], { write: async () => undefined })
        expect(shape(await store.claimGroup(alone))).toEqual(["down 0-10"])
      })

      test("what failed around a block that its dependency cannot take is done on both sides of it", async () => {
        const [up, down] = await store.claimGroup(groupRequest())
        await store.release(down!, { cause: "shutdown" })
        await store.release(up!, failure({ height: 4 }))
        const alone = groupRequest({ members: [members[1]!] })
        for (const range of ["0-4", "5-10"]) {
          const regions = [{ from: range === "0-4" ? 0 : 5, to: 10 }]
          const done = await store.claimGroup(groupRequest({ members: [members[0]!], regions }))
          expect(shape(done)).toEqual([`up ${range}`])
          // Until it has gone past the block, it may still come to it.
          expect(await store.claimGroup(alone)).toEqual([])
          await store.commitGroup(done, { write: async () => undefined })
        }
        for (const range of ["0-4", "5-10"]) {
          const done = await store.claimGroup(alone)
          expect(shape(done)).toEqual([`down ${range}`])
          await store.commitGroup(done, { write: async () => undefined })
        }
        expect(await store.claimGroup(alone)).toEqual([])
      })

      test("whoever is furthest behind leads, as far as where the others are", async () => {
        const ahead = await store.claimGroup(groupRequest({ members: [members[0]!], maxBlocks: 4 }))
        await store.commitGroup(ahead, { write: async () => undefined })
        const first = await store.claimGroup(groupRequest())
        expect(shape(first)).toEqual(["down 0-4"])
        await store.commitGroup(first, { write: async () => undefined })
        expect(shape(await store.claimGroup(groupRequest()))).toEqual(["up 4-10", "down 4-10"])
      })

      test("no more ranges of a worker are held at once than it allows", async () => {
        const limited = groupRequest({ members: [{ ...members[0]!, concurrency: 1 }] })
        expect(shape(await store.claimGroup(limited))).toEqual(["up 0-10"])
        expect(await other.claimGroup(limited)).toEqual([])
      })

      test("a withdrawn range is a gap again, in any shape", async () => {
        const [lease] = await store.claimGroup(groupRequest({ members: [members[0]!] }))
        expect(await store.release(lease!, { cause: "withdrawn" })).toBe(true)
        expect((await harness.snapshot()).leases).toEqual([])
        const again = await store.claimGroup(groupRequest({ members: [members[0]!], maxBlocks: 3 }))
        expect(shape(again)).toEqual(["up 0-3"])
        expect(again[0]!.attempt).toBe(1)
      })

      test("a range that failed is taken up again by all who failed it", async () => {
        const leases = await store.claimGroup(groupRequest())
        for (const lease of leases) await store.release(lease, { cause: "shutdown" })
        expect(shape(await store.claimGroup(groupRequest()))).toEqual(["up 0-10", "down 0-10"])
      })
    })
  })
}
