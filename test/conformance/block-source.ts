// What every source promises, as facts. Run by the EVM source over HTTP and by the simulation's.

import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { Hex, LinkedBlock } from "../../src/domain/linked-block.js"
import type { BlockSource, FetchRangeOptions } from "../../src/source/block-source.js"

export interface StagedProvider {
  /** The highest block it has. */
  readonly head: number
  /** From this height on it is on another branch. */
  readonly forkAt?: number
  /** From this height on its blocks are of a branch that parted lower. */
  readonly unlinkedAt?: number
  readonly isDown?: boolean
}

export interface BlockSourceHarness {
  /** Over these providers of one chain. */
  open(providers: readonly StagedProvider[]): Promise<BlockSource>
  /** The chain's hash at a height. */
  hash(height: number): Hex
  /** How far a provider's finalized block is below its head. */
  readonly finalityGap: number
  close(): Promise<void>
}

const { signal } = new AbortController()
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i)

async function collect(
  source: BlockSource,
  range: { from: number; to: number },
  options: Partial<FetchRangeOptions> = {},
): Promise<LinkedBlock[]> {
  const blocks: LinkedBlock[] = []
  for await (const batch of source.fetchRange(range, { signal, ...options })) blocks.push(...batch)
  return blocks
}

const heights = (blocks: readonly LinkedBlock[]): number[] => blocks.map(({ height }) => height)

export function describeBlockSource(name: string, make: () => Promise<BlockSourceHarness>): void {
  describe(`${name} as a block source`, () => {
    let harness: BlockSourceHarness
    beforeEach(async () => {
      harness = await make()
    })
    afterEach(() => harness.close())

    test("yields every block of a range once, in order, each the child of the one before", async () => {
      const blocks = await collect(await harness.open([{ head: 100 }]), { from: 0, to: 67 })
      expect(heights(blocks)).toEqual(numbers(0, 67))
      expect(blocks.map(({ hash }) => hash)).toEqual(numbers(0, 67).map((height) => harness.hash(height)))
      for (const { height, parentHash } of blocks.slice(1)) expect(parentHash).toBe(harness.hash(height - 1))
    })

    test("names the head, and below it what the chain calls final", async () => {
      const head = { height: 90, hash: harness.hash(90), finalizedHeight: 90 - harness.finalityGap }
      expect(await (await harness.open([{ head: 90 }])).head({ signal })).toEqual(head)
    })

    test("identifies the chain by its first block, every time", async () => {
      const source = await harness.open([{ head: 10 }])
      const identity = await source.identity({ signal })
      expect(identity.genesisHash).toBe(harness.hash(0))
      expect(await source.identity({ signal })).toEqual(identity)
    })

    test("has no hash above the head", async () => {
      const source = await harness.open([{ head: 10 }])
      expect(await source.blockHash(7, { signal })).toBe(harness.hash(7))
      expect(await source.blockHash(11, { signal })).toBeNull()
    })

    test("has no range that reaches above the head", async () => {
      const source = await harness.open([{ head: 50 }])
      await expect(collect(source, { from: 1, to: 60 })).rejects.toMatchObject({ code: "RPC_BLOCK_MISSING" })
      expect(heights(await collect(source, { from: 1, to: 51 }))).toEqual(numbers(1, 51))
    })

    test("never yields a block beside one that is not its parent", async () => {
      const source = await harness.open([{ head: 100, unlinkedAt: 12 }])
      const mismatch = { code: "PARENT_MISMATCH", action: "rollback", height: 12 }
      await expect(collect(source, { from: 1, to: 30 })).rejects.toMatchObject(mismatch)
      expect(heights(await collect(source, { from: 1, to: 12 }))).toEqual(numbers(1, 12))
    })

    test("gives each provider's own hashes in the order asked for, and leaves out who does not answer", async () => {
      const source = await harness.open([{ head: 100 }, { head: 95, forkAt: 91 }, { head: 100, isDown: true }])
      const answers = await source.hashesByProvider([96, 90, 92], { signal })
      expect(answers.map(({ hashes }) => hashes)).toEqual([
        [harness.hash(96), harness.hash(90), harness.hash(92)],
        [null, harness.hash(90), expect.not.stringMatching(harness.hash(92))],
      ])
      expect(new Set(answers.map(({ provider }) => provider)).size).toBe(2)
    })

    test("reports each provider under the label of its answers, with the last error of one that does not answer", async () => {
      const source = await harness.open([{ head: 100 }, { head: 100, isDown: true }])
      const [answer] = await source.hashesByProvider([90], { signal })
      const [up, down, ...others] = source.providers()
      expect(up).toMatchObject({ label: answer!.provider, state: "closed", lastError: null, mismatch: null })
      expect(down!.lastError).not.toBeNull()
      expect(down!.label).not.toBe(up!.label)
      expect(others).toEqual([])
    })

    test("counts what it asked each provider, since the counters were last taken", async () => {
      const source = await harness.open([{ head: 100 }])
      expect(source.takeCounters()).toEqual([])
      await source.head({ signal })
      const counters = source.takeCounters()
      const label = source.providers()[0]!.label
      expect(new Set(counters.map(({ provider, code }) => `${provider} ${code}`))).toEqual(new Set([`${label} ok`]))
      expect(counters.reduce((sum, { calls }) => sum + calls, 0)).toBeGreaterThan(0)
      expect(source.takeCounters()).toEqual([])
    })

    test("tells the hash of the block below before the first block, once", async () => {
      const source = await harness.open([{ head: 100 }])
      const told: unknown[] = []
      const onParent = (hash: unknown): void => void told.push(hash)
      for await (const _ of source.fetchRange({ from: 30, to: 80 }, { signal, onParent }))
        expect(told).toEqual([harness.hash(29)])
      expect(told).toHaveLength(1)
    })

    test("takes final blocks only from a node that calls them final itself", async () => {
      const { finalityGap } = harness
      const source = await harness.open([{ head: 40 + finalityGap }])
      const range = { from: 30, to: 60 }
      const missing = { code: "RPC_BLOCK_MISSING" }
      await expect(collect(source, range, { finalTo: 59 })).rejects.toMatchObject(missing)
      // One block of the range is final and not called so, the rest is new: the same.
      await expect(collect(source, range, { finalTo: 41 })).rejects.toMatchObject(missing)
      expect(heights(await collect(source, range, { finalTo: 40 }))).toEqual(numbers(30, 60))
      expect(heights(await collect(source, range, { finalTo: 20 }))).toEqual(numbers(30, 60))
    })

    test("ends a range that is aborted, with the abort's reason", async () => {
      const source = await harness.open([{ head: 100 }])
      const abort = new AbortController()
      const ranged = (async () => {
        for await (const _ of source.fetchRange({ from: 0, to: 100 }, { signal: abort.signal }))
          abort.abort(new Error("stopping"))
      })()
      await expect(ranged).rejects.toThrow("stopping")
    })

    test("goes on after a consumer that left early, and serves several ranges at once", async () => {
      const source = await harness.open([{ head: 100 }])
      for await (const batch of source.fetchRange({ from: 10, to: 100 }, { signal })) {
        expect(batch[0]!.height).toBe(10)
        break
      }
      const [low, high] = await Promise.all([
        collect(source, { from: 0, to: 40 }),
        collect(source, { from: 60, to: 100 }),
      ])
      expect([heights(low), heights(high)]).toEqual([numbers(0, 40), numbers(60, 100)])
    })
  })
}
