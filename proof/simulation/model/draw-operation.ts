// The product's own operations, drawn once and run on Postgres and on the model of it.

import type { Lease, ReleaseCause } from "../../../src/coordination/lease-store.js"
import { rawIngester } from "../../../src/coordination/raw-ingester.js"
import { evmFamily } from "../../../src/families/evm/evm-family.js"
import { readChainState } from "../../../src/raw/chain-state.js"
import { parentIsUnknown } from "../../../src/raw/check-parent.js"
import { checkSeams } from "../../../src/raw/check-seams.js"
import { rollbackApp } from "../../../src/rollback/rollback-app.js"
import { rollbackRaw } from "../../../src/rollback/rollback-raw.js"
import { readRangeState } from "../../../src/workers/postgres/postgres-raw-reader.js"
import { reopenHeights } from "../../../src/workers/postgres/reopen-heights.js"
import type { SimRandom } from "../sim-random.js"
import { simRegistry, simWorkerNames, storedWorkers } from "../sim-workers.js"
import { deriveRows, withSameRange } from "./derive-rows.js"
import { hashOf, hourMs, passTime, type Schema, type Side } from "./sides.js"

const ttlMs = hourMs
const hex = (bytes: Buffer): string => `0x${bytes.toString("hex")}`

export interface Operation {
  readonly name: string
  readonly run: (side: Side) => Promise<unknown>
}

export function drawOperation(random: SimRandom, schema: Schema): Operation {
  const number = (to: number): number => random.between(0, to)
  const height = number(23)
  const pick = number(5)
  const claim = {
    holder: `p${number(2)}`,
    regions: [{ from: number(8), to: random.between(9, 24) }],
    rangeSize: random.pick([4, 10]),
    maxBlocks: random.between(1, 10),
    order: random.pick(["oldest", "newest"] as const),
    inOrder: random.chance(0.2),
    ttlMs,
  }
  const shape = (leases: readonly Lease[]) =>
    leases.map(({ workerType, range, attempt, chainEpoch, epoch }) => ({
      workerType,
      range,
      attempt,
      chainEpoch,
      epoch,
    }))
  const branch = random.chance(0.85) ? 1 : 2
  const salt = number(1_000_000)
  const isAlone = random.chance(0.4)
  const worker = random.pick(simWorkerNames)
  const claimGroup = async ({ leases, held }: Side): Promise<readonly Lease[]> => {
    const members = [rawIngester, ...(schema === "app" ? simWorkerNames : [])].map((name, at) => ({
      ...{ workerType: name, dependencies: dependenciesOf(name) },
      ...(at === 1 ? { concurrency: 2 } : {}),
    }))
    const claimed = await leases.claimGroup({ ...claim, members })
    held.push(...claimed)
    return claimed
  }
  const claimWorker = async ({ leases, held }: Side): Promise<readonly Lease[]> => {
    const lease = await leases.claim({
      ...{ ...claim, maxBlocks: 1 + (pick >> 1) },
      ...{ workerType: worker, dependencies: dependenciesOf(worker) },
    })
    if (lease) held.push(lease)
    return lease ? [lease] : []
  }
  const all: (Operation & { weight: number })[] = [
    {
      name: "claim",
      weight: 5,
      run: async ({ leases, held }) => {
        const lease = await leases.claim({ ...claim, workerType: rawIngester, dependencies: [] })
        if (lease) held.push(lease)
        return shape(lease ? [lease] : [])
      },
    },
    { name: "claim group", weight: 4, run: async (side) => shape(await claimGroup(side)) },
    {
      name: "commit",
      weight: schema === "raw" ? 7 : 3,
      run: ({ leases, held, writeBlocks }) => {
        const own = held.filter(({ workerType }) => workerType === rawIngester)
        const lease = own[pick % Math.max(1, own.length)]
        if (!lease) return Promise.resolve("none")
        const { range } = lease
        return leases.commit(lease, {
          write: () => (schema === "raw" ? writeBlocks(range, branch) : Promise.resolve()),
          check: async (tx) => {
            if (schema !== "raw") return
            const first = { height: range.from, parentHash: hex(hashOf(range.from - 1, branch)) }
            const last = { height: range.to - 1, hash: hex(hashOf(range.to - 1, branch)) }
            await checkSeams(tx, { range, edges: { first, last } })
          },
        })
      },
    },
    {
      name: "release",
      weight: 4,
      run: ({ leases, held }) => {
        const lease = held[pick % Math.max(1, held.length)]
        if (!lease) return Promise.resolve("none")
        const cause = (["failure", "failure", "outage", "rollback", "shutdown", "withdrawn"] satisfies ReleaseCause[])[
          pick
        ]!
        const at = lease.range.from + (height % (lease.range.to - lease.range.from))
        return leases.release(lease, {
          cause,
          error: { code: "VERIFY_FAILED", message: "bad" },
          ...(height % 2 === 0 ? { height: at } : {}),
        })
      },
    },
    {
      name: "renew",
      weight: 1,
      run: async ({ leases, held }) => (await leases.renew(held)).map(({ epoch }) => epoch).sort(),
    },
    { name: "reap", weight: 2, run: ({ leases }) => leases.reap() },
    { name: "pass time", weight: 2, run: (side) => passTime(side, 2 * hourMs) },
    {
      name: "register",
      weight: 1,
      run: ({ sql, ledgers }) => ledgers[schema].register(sql, pick < 4 ? rawIngester : "other"),
    },
    {
      name: "retry",
      weight: 1,
      run: ({ leases }) => leases.retry({ actor: "t", workerType: rawIngester, height }),
    },
    {
      name: "skip",
      weight: 1,
      run: ({ leases }) => leases.skip({ actor: "t", workerType: rawIngester, height }),
    },
    ...(schema === "raw"
      ? [
          {
            name: "open intent",
            weight: 2,
            run: async ({ sql, ledgers, random: own }: Side) => {
              const epoch = (await readChainState(sql))!.chainEpoch
              const id = own.uuid()
              return ledgers.raw.openIntent(sql, { id, from: height, ancestorHash: null, epoch, reason: "t" })
            },
          },
          {
            name: "roll raw back",
            weight: 2,
            run: async ({ sql, ledgers }: Side) => {
              const intent = await ledgers.raw.readIntent(sql)
              if (intent) await rollbackRaw({ raw: sql, ledgers }, intent)
              return intent
            },
          },
          {
            name: "record head",
            weight: 2,
            run: ({ sql, ledgers }: Side) => {
              const head = { height, hash: hex(hashOf(height, 1)), finalizedHeight: null }
              return ledgers.raw.recordHead(sql, {
                head,
                finalizedHeight: Math.max(0, height - 4),
                holder: claim.holder,
              })
            },
          },
          {
            name: "take head post",
            weight: 1,
            run: ({ sql, ledgers }: Side) => ledgers.raw.takeHeadPost(sql, claim.holder),
          },
          {
            name: "assert head post",
            weight: 1,
            run: ({ sql, ledgers }: Side) => ledgers.raw.assertHeadPost(sql, claim.holder),
          },
          {
            name: "record finality",
            weight: 1,
            run: ({ sql, ledgers }: Side) => ledgers.raw.recordFinality(sql, height),
          },
          { name: "read state", weight: 1, run: ({ sql }: Side) => readChainState(sql) },
          {
            name: "read range",
            weight: 1,
            run: async ({ sql }: Side) => [
              await parentIsUnknown(sql, { from: height, to: height + 3 }),
              await readRangeState(sql, { from: height, to: height + 3 }),
            ],
          },
        ]
      : [
          { name: "claim worker", weight: 2, run: async (side: Side) => shape(await claimWorker(side)) },
          {
            name: "derive",
            weight: 5,
            run: async (side: Side) => {
              const derived = side.held.filter(({ workerType }) => workerType !== rawIngester)
              const lease = derived[pick % Math.max(1, derived.length)]
              if (!lease) return "none"
              return deriveRows(side, { leases: isAlone ? [lease] : withSameRange(side.held, lease), salt })
            },
          },
          {
            name: "claim and derive",
            weight: 9,
            run: async (side: Side) => {
              const claimed = await (isAlone ? claimWorker(side) : claimGroup(side))
              return [shape(claimed), await deriveRows(side, { leases: claimed, salt })]
            },
          },
          {
            name: "roll app back",
            weight: 3,
            run: ({ sql, ledgers, random: own }: Side) =>
              rollbackApp(
                { app: sql, ledgers, storedWorkers, family: evmFamily },
                { id: own.uuid(), epoch: pick, from: height, to: height + 6, reason: "t" },
              ),
          },
          {
            name: "copy coverage",
            weight: 1,
            run: ({ sql, ledgers }: Side) => {
              const seen = { chain_epoch: String(pick >> 1), heights: `{[0,${height + 1})}`, skipped: "{}" }
              const raw = { query: async () => ({ rows: [seen] }) as never }
              return ledgers.app.copyRawCoverage({ raw, app: sql })
            },
          },
          {
            name: "reopen",
            weight: 5,
            run: ({ sql, ledgers }: Side) => {
              const heights = [{ from: height >> 1, to: (height >> 1) + 1 + (pick >> 1) }]
              return reopenHeights({ app: sql, ledgers, storedWorkers }, { worker, heights, actor: "t", action: "t" })
            },
          },
        ]),
  ]
  const chosen = all.flatMap((one) => Array.from({ length: one.weight }, () => one))
  return random.pick(chosen)
}

/** Raw blocks, where it is nothing else. */
const dependenciesOf = (worker: string): readonly string[] =>
  worker === rawIngester ? [] : (simRegistry.worker(worker)!.dependencies ?? [rawIngester])
