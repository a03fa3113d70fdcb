// Asks the node about contracts that emitted transfers, some at a time, and keeps what it said. Any number of processes do it
// at once. A contract that misbehaves costs itself an attempt, an outage of the node costs nobody one.

import type { Hex } from "../../../../domain/linked-block.js"
import { LoopingService } from "../../../../platform/looping-service.js"
import type { Database } from "../../../../postgres/database.js"
import type { ObservedBlock } from "../observing/ask-at-block.js"
import type { ObserverOptions } from "../observing/observer-options.js"
import { ContractInquirer, type GasLimits, type Outcome } from "./contract-inquirer.js"
import {
  type Claim,
  claimSubjects,
  giveBackSubjects,
  queueSubjects,
  type SettledOutcome,
  settleOutcomes,
} from "./metadata-queue.js"

export interface MetadataObserverOptions extends ObserverOptions {
  readonly gas?: GasLimits
}

const queuedAtOnce = 10_000
const deferredMs = 60_000

export class MetadataObserver extends LoopingService {
  private readonly database: Database
  private readonly inquirer: ContractInquirer
  private readonly observedBlock: MetadataObserverOptions["observedBlock"]
  private readonly batchSize: number
  private readonly claimMs: number

  constructor(options: MetadataObserverOptions) {
    super({ name: "metadata-observer", maxBackoffMs: 60_000, ...options })
    this.database = options.database
    this.inquirer = new ContractInquirer(options.node, options.gas)
    this.observedBlock = options.observedBlock
    this.batchSize = options.batchSize ?? 50
    this.claimMs = options.claimMs ?? 300_000
  }

  async runOnce(signal: AbortSignal): Promise<number | undefined> {
    const moreToQueue = await queueSubjects(this.database, { limit: queuedAtOnce })
    const startedAt = this.clock.monotonic()
    const claim = await claimSubjects(this.database, { limit: this.batchSize, claimMs: this.claimMs })
    if (claim === undefined) return moreToQueue ? 0 : undefined
    const open = new Set(claim.contracts.keys())
    try {
      const block = await this.observedBlock(signal)
      if (block === undefined) return undefined
      await this.defer(claim, open, (contract) => claim.contracts.get(contract)! > block.height)
      await this.observe(claim, { block, open, deadline: startedAt + this.claimMs * 0.8, signal })
    } finally {
      // What has no outcome by now is due again at once: whatever went wrong was not its fault.
      await giveBackSubjects(this.database, { claim, contracts: [...open], waitMs: 0 })
    }
    return moreToQueue || claim.contracts.size === this.batchSize ? 0 : undefined
  }

  /** Takes every contract that has its outcome, or its new date, out of `open`. */
  private async observe(
    claim: Claim,
    options: {
      readonly block: ObservedBlock
      readonly open: Set<Hex>
      /** Past it the claim may be somebody else's soon: the rest is left. */
      readonly deadline: number
      readonly signal: AbortSignal
    },
  ): Promise<void> {
    const { block, open, deadline, signal } = options
    const counts = { answered: 0, silent: 0, failed: 0, deferred: 0 }
    for await (const outcomes of this.inquirer.ask({ contracts: [...open], block, signal })) {
      for (const { status } of outcomes) counts[status]++
      const deferred = new Set(
        outcomes.filter(({ status }) => status === "deferred").map(({ contract }) => contract),
      )
      await this.defer(claim, open, (contract) => deferred.has(contract))
      const settled = outcomes.filter(isSettled)
      if (settled.length > 0) {
        // The chain went back meanwhile: asked again, at a block that is there.
        if (!(await settleOutcomes(this.database, { claim, block, outcomes: settled }))) return
        for (const { contract } of settled) open.delete(contract)
      }
      if (this.clock.monotonic() > deadline) break
    }
    this.logger.debug(
      { ...counts, height: block.height, left: open.size },
      "contracts asked for their metadata",
    )
  }

  private async defer(claim: Claim, open: Set<Hex>, which: (contract: Hex) => boolean): Promise<void> {
    const contracts = [...open].filter(which)
    await giveBackSubjects(this.database, { claim, contracts, waitMs: deferredMs })
    for (const contract of contracts) open.delete(contract)
  }
}

const isSettled = (outcome: Outcome): outcome is SettledOutcome => outcome.status !== "deferred"
