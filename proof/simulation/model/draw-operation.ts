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

/** As many of it as say how often it is drawn, compared with the others. */
const of = (weight: number, name: string, run: Operation["run"]): readonly Operation[] =>
  Array.from({ length: weight }, () => ({ name, run }))

const causes: readonly ReleaseCause[] = ["failure", "failure", "outage", "rollback", "shutdown", "withdrawn"]

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
    leases.map(({ worker, range, attempt, chainEpoch, epoch }) => ({
      worker,
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
      ...{ worker: name, dependencies: dependenciesOf(name) },
      ...(at === 1 ? { concurrency: 2 } : {}),
    }))
    const claimed = await leases.claimGroup({ ...claim, members })
    held.push(...claimed)
    return claimed
  }
  const claimWorker = async ({ leases, held }: Side): Promise<readonly Lease[]> => {
    const lease = await leases.claim({
      ...{ ...claim, maxBlocks: 1 + (pick >> 1) },
      ...{ worker, dependencies: dependenciesOf(worker) },
    })
    if (lease) held.push(lease)
    return lease ? [lease] : []
  }
  const ofBoth = [
    of(5, "claim", async ({ leases, held }) => {
      const lease = await leases.claim({ ...claim, worker: rawIngester, dependencies: [] })
      if (lease) held.push(lease)
      return shape(lease ? [lease] : [])
    }),
    of(4, "claim group", async (side) => shape(await claimGroup(side))),
    of(schema === "raw" ? 7 : 3, "commit", ({ leases, held, writeBlocks }) => {
      const own = held.filter(({ worker }) => worker === rawIngester)
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
    }),
    of(4, "release", ({ leases, held }) => {
      const lease = held[pick % Math.max(1, held.length)]
      if (!lease) return Promise.resolve("none")
      const at = lease.range.from + (height % (lease.range.to - lease.range.from))
      return leases.release(lease, {
        cause: causes[pick]!,
        error: { code: "VERIFY_FAILED", message: "bad" },
        ...(height % 2 === 0 ? { height: at } : {}),
      })
    }),
    of(1, "renew", async ({ leases, held }) => (await leases.renew(held)).map(({ epoch }) => epoch).sort()),
    of(2, "reap", ({ leases }) => leases.reap()),
    of(2, "pass time", (side) => passTime(side, 2 * hourMs)),
    of(1, "register", ({ sql, ledgers }) => ledgers[schema].register(sql, pick < 4 ? rawIngester : "other")),
    of(1, "retry", ({ leases }) => leases.retry({ actor: "t", worker: rawIngester, height })),
    of(1, "skip", ({ leases }) => leases.skip({ actor: "t", worker: rawIngester, height })),
  ]
  const process = { id: claim.holder, name: "host:1" }
  const ofRaw = [
    of(2, "open intent", async ({ sql, ledgers, random: own }) => {
      const epoch = (await readChainState(sql))!.chainEpoch
      return ledgers.raw.openIntent(sql, { id: own.uuid(), from: height, ancestorHash: null, epoch, reason: "t" })
    }),
    of(2, "roll raw back", async ({ sql, ledgers }) => {
      const intent = await ledgers.raw.readIntent(sql)
      if (intent) await rollbackRaw({ raw: sql, ledgers, family: evmFamily }, intent, intent)
      return intent
    }),
    of(2, "record head", ({ sql, ledgers }) => {
      const head = { height, hash: hex(hashOf(height, 1)), finalizedHeight: null }
      const finalizedHeight = Math.max(0, height - 4)
      return ledgers.raw.recordHead(sql, { head, finalizedHeight, holder: process })
    }),
    of(1, "take head post", ({ sql, ledgers }) => ledgers.raw.takeHeadPost(sql, process)),
    of(1, "assert head post", ({ sql, ledgers }) => ledgers.raw.assertHeadPost(sql, process)),
    of(1, "record finality", ({ sql, ledgers }) =>
      ledgers.raw.recordFinality(sql, { finalizedHeight: height, holder: process }),
    ),
    of(1, "keep head post", ({ sql, ledgers }) => ledgers.raw.keepHeadPost(sql, process)),
    of(1, "read state", ({ sql }) => readChainState(sql)),
    of(1, "read range", async ({ sql }) => {
      const range = { from: height, to: height + 3 }
      return [await parentIsUnknown(sql, range), await readRangeState(sql, range)]
    }),
  ]
  const ofApp = [
    of(2, "claim worker", async (side) => shape(await claimWorker(side))),
    of(5, "derive", async (side) => {
      const derived = side.held.filter(({ worker }) => worker !== rawIngester)
      const lease = derived[pick % Math.max(1, derived.length)]
      if (!lease) return "none"
      return deriveRows(side, { leases: isAlone ? [lease] : withSameRange(side.held, lease), salt })
    }),
    of(9, "claim and derive", async (side) => {
      const claimed = await (isAlone ? claimWorker(side) : claimGroup(side))
      return [shape(claimed), await deriveRows(side, { leases: claimed, salt })]
    }),
    of(3, "roll app back", ({ sql, ledgers, random: own }) => {
      const intent = { id: own.uuid(), epoch: pick, from: height, to: height + 6, reason: "t" }
      return rollbackApp({ app: sql, ledgers, storedWorkers, family: evmFamily }, intent)
    }),
    of(1, "copy coverage", ({ sql, ledgers }) => {
      const seen = { chain_epoch: String(pick >> 1), heights: `{[0,${height + 1})}`, skipped: "{}" }
      const raw = { query: async () => ({ rows: [seen] }) as never }
      return ledgers.app.copyRawCoverage({ raw, app: sql })
    }),
    of(5, "reopen", ({ sql, ledgers }) => {
      const heights = [{ from: height >> 1, to: (height >> 1) + 1 + (pick >> 1) }]
      const request = { worker, heights, actor: "t", action: "t" }
      return reopenHeights({ app: sql, ledgers, storedWorkers }, request)
    }),
  ]
  return random.pick([...ofBoth, ...(schema === "raw" ? ofRaw : ofApp)].flat())
}

/** Raw blocks, where it is nothing else. */
const dependenciesOf = (worker: string): readonly string[] =>
  worker === rawIngester ? [] : (simRegistry.worker(worker)!.dependencies ?? [rawIngester])
