// An operator who acts through src/operations: repairs and reopens heights of a worker, has raw blocks fetched again, skips
// DEAD blocks and retries them, cancels rollbacks. What is refused for now is retried.

import { type BlockRange, rangesOverlap } from "../../src/domain/block-range.js"
import { intersect, type RangeSet, rangeSet, subtract } from "../../src/domain/range-set.js"
import type { OperatedChain, WorkerBlock } from "../../src/operations/operated-chain.js"
import { retryBlock } from "../../src/operations/retry-blocks.js"
import { skipBlock } from "../../src/operations/skip-block.js"
import { isIndexerError } from "../../src/platform/errors.js"
import { operateChain } from "../../src/roles/operate-chain.js"
import { cancelRollback } from "../../src/rollback/cancel-rollback.js"
import type { RepairPlan } from "../../src/verify/repair-plan.js"
import { repairStore } from "../../src/verify/repair-store.js"
import { reopenHeights } from "../../src/workers/postgres/reopen-heights.js"
import { ModelPool } from "./model/model-pool.js"
import type { Act } from "./plan.js"
import type { SimBlock } from "./sim-chain.js"
import type { SimHost } from "./sim-host.js"
import { simWorkerNames } from "./sim-workers.js"
import { coverageOf, leaseRange, traceEvent, unfinishedLeases, type World } from "./world.js"

const actor = "operator"
const pollMs = 400
/** A rollback is open for a few milliseconds. */
const cancelPollMs = 2
const noRepair: RepairPlan = {
  ...{ writeLookups: [], deleteLookups: [], deleteRows: [], refold: [], refetch: [], rederive: [], left: [] },
}

const rangeOf = ({ from, blocks }: { from: number; blocks: number }): BlockRange => ({ from, to: from + blocks })

const doneBy = (blocks: readonly SimBlock[], worker: string): RangeSet =>
  rangeSet(blocks.flatMap(({ height, poison }) => (poison === worker ? [] : [{ from: height, to: height + 1 }])))

export class Operator {
  private readonly world: World
  private readonly host: SimHost
  private readonly chain: OperatedChain
  private readonly underWay = new Set<Act>()
  /** Acts whose time has not come. An ambush may begin one early. */
  private readonly waiting = new Map<Act, () => void>()
  /** Blocks that the first worker gets wrong until it is mended. */
  private readonly wrong = new Map<Act, readonly SimBlock[]>()

  constructor(world: World, host: SimHost) {
    this.world = world
    this.host = host
    const pools = { raw: new ModelPool(world.raw, host), app: new ModelPool(world.app, host) }
    this.chain = operateChain({ name: "sim", ...pools, random: host.random })
    for (const act of world.plan.acts) this.schedule(act)
  }

  /** The next act, or undefined if all are done. */
  get left(): string | undefined {
    const [act] = [...this.waiting.keys(), ...this.underWay]
    return act && `the operator has to ${act.kind}`
  }

  /** Mends what is wrong in these heights now. False if nothing is. */
  mendNow(range: BlockRange): boolean {
    for (const [act, begin] of this.waiting) {
      if (act.kind !== "mend" || !rangesOverlap(rangeOf(act), range)) continue
      begin()
      return true
    }
    return false
  }

  private schedule(act: Act): void {
    const { scheduler, chain } = this.world
    if (act.kind === "mend") {
      const { from, to } = rangeOf(act)
      const blocks = chain.blocks.slice(from, to)
      for (const block of blocks) block.isMisread = true
      this.wrong.set(act, blocks)
    }
    const begin = (): void => {
      if (!this.waiting.delete(act)) return
      traceEvent(this.world, `the operator begins to ${act.kind}`)
      this.underWay.add(act)
      this.run(act).then(
        () => this.underWay.delete(act),
        (error: unknown) => this.world.fail("BUG", `the operator could not ${act.kind}: ${String(error)}`),
      )
    }
    this.waiting.set(act, begin)
    scheduler.after(act.at, begin)
  }

  private run(act: Act): Promise<void> {
    switch (act.kind) {
      case "rederive":
        return this.rederive(act.worker, rangeOf(act))
      case "refetch":
        return this.repair({ refetch: [rangeOf(act)] })
      case "mend":
        for (const block of this.wrong.get(act)!) block.isMisread = false
        return this.reopenAll(rangeOf(act))
      case "skip":
        return this.skipForAWhile(act.backAfterMs)
      case "cancel":
        return this.cancelNext()
    }
  }

  /** Waits until some of it is done. */
  private async rederive(worker: string, range: BlockRange): Promise<void> {
    const isDone = (): boolean => intersect([range], coverageOf(this.world.app, worker).heights).length > 0
    while (!isDone() && !this.world.healed) await this.host.clock.sleep(pollMs)
    await this.repair({ rederive: [{ worker, heights: [range] }] })
  }

  private repair(part: Partial<RepairPlan>): Promise<void> {
    return this.patiently(() => repairStore(this.chain, { plan: { ...noRepair, ...part }, actor }))
  }

  /** Also what a process is deriving now, once that is done. */
  private async reopenAll(range: BlockRange): Promise<void> {
    const { world } = this
    const worker = "sim_transfers"
    for (let left: RangeSet = [range]; ; await this.host.clock.sleep(pollMs)) {
      // Blocks that a shorter chain lacks do not come back, and those that the worker cannot process are never done.
      if (world.healed) left = intersect(left, doneBy(world.chain.blocks, worker))
      const heights = intersect(left, coverageOf(world.app, worker).heights)
      const request = { worker, heights, actor, action: "repair" }
      if (heights.length > 0 && (await this.patiently(() => reopenHeights(this.chain, request))))
        left = subtract(left, heights)
      if (left.length === 0) return
    }
  }

  private async skipForAWhile(ms: number): Promise<void> {
    const { world } = this
    for (; this.skipped().length === 0; await this.host.clock.sleep(pollMs)) {
      if (world.healed && world.chain.blocks.every(({ poison }) => poison === undefined)) return
      const dead = [...unfinishedLeases(world.app)].find(({ status }) => status === "DEAD")
      if (!dead) continue
      const block = { worker: dead["worker_type"] as string, height: leaseRange(dead).from }
      await this.patiently(() => skipBlock(this.chain, { actor, ...block }))
    }
    await this.host.clock.sleep(ms)
    for (; this.skipped().length > 0; await this.host.clock.sleep(pollMs))
      for (const block of this.skipped()) await this.patiently(() => retryBlock(this.chain, { actor, ...block }))
  }

  /** Once: a rollback that has begun meanwhile stays. */
  private async cancelNext(): Promise<void> {
    const { world, host } = this
    for (; !world.healed; await host.clock.sleep(cancelPollMs)) {
      if (world.raw.table("raw.chain_state").rows.get("one")!.committed!["intent_id"] === null) continue
      try {
        await cancelRollback(this.chain, { actor })
        return
      } catch (error) {
        if (!isIndexerError(error)) throw error
        if (error.code === "ROLLBACK_STARTED") return
      }
    }
  }

  /** The first of each worker. */
  private skipped(): WorkerBlock[] {
    return simWorkerNames.flatMap((worker) =>
      coverageOf(this.world.app, worker)
        .skipped.slice(0, 1)
        .map(({ from: height }) => ({ worker, height })),
    )
  }

  /** Undefined if what it was about is gone meanwhile. */
  private async patiently<T>(act: () => Promise<T>): Promise<T | undefined> {
    for (;;) {
      try {
        return await act()
      } catch (error) {
        if (!isIndexerError(error)) throw error
        if (error.code === "NOT_FOUND") return undefined
        this.world.trace?.(`the operator is refused: ${error.message}`)
        await this.host.clock.sleep(pollMs)
      }
    }
  }
}
