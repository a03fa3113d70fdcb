// Asks the node one question about contracts, some at a time, and keeps what it said. Any number of processes do it
// at once. A contract that misbehaves costs itself an attempt, an outage of the node costs none.

import type { CoverageLedger } from "../../../../coordination/coverage-ledger.js"
import type { Job, JobEnding, JobQueue } from "../../../../coordination/job-queue.js"
import type { Hex } from "../../../../domain/linked-block.js"
import { LoopingService } from "../../../../platform/looping-service.js"
import type { RuntimeDeps } from "../../../../platform/service.js"
import type { Database } from "../../../../postgres/database.js"
import type { Queryable } from "../../../../postgres/transaction.js"
import type { ObservedBlock } from "./ask-at-block.js"
import type { Outcome, Question } from "./question.js"
import { queueSubjects } from "./queue-subjects.js"

export interface ContractObserverOptions<Answer extends Outcome> extends RuntimeDeps {
  readonly question: Question<Answer>
  /** Of the app schema. */
  readonly database: Database
  readonly ledger: Pick<CoverageLedger, "lockChain">
  readonly jobs: JobQueue
  /**
   * The covered block to ask at; undefined while there is none. Called after the claim, and never to answer from
   * before it.
   */
  readonly observedBlock: (signal: AbortSignal) => Promise<ObservedBlock | undefined>
  readonly holder: string
  readonly intervalMs: number
  /** Contracts in one claim. */
  readonly batchSize?: number
  /** Longer than one request takes with all its retries. A process that dies keeps its contracts waiting this long. */
  readonly holdMs?: number
}

const lockTimeoutMs = 1_000
const queuedAtOnce = 10_000
const deferredMs = 60_000
const firstRetryMs = 60_000
const longestRetryMs = 86_400_000
/** Within about ten days. A contract that has said nothing by then is not asked again. */
const maxAttempts = 20

export class ContractObserver<Answer extends Outcome> extends LoopingService {
  private readonly batchSize: number
  private readonly holdMs: number

  constructor(private readonly options: ContractObserverOptions<Answer>) {
    super({ ...options, name: `${options.question.queue}-observer`, maxBackoffMs: 60_000 })
    this.batchSize = options.batchSize ?? 50
    this.holdMs = options.holdMs ?? 300_000
  }

  async runOnce(signal: AbortSignal): Promise<number | undefined> {
    const { database, question, jobs, holder, random } = this.options
    const moreToQueue = await queueSubjects(this.options, question, { limit: queuedAtOnce })
    const claim = { limit: this.batchSize, maxAttempts, holdMs: this.holdMs, holder, epoch: random.uuid() }
    const claimed = await jobs.claim(database, question.queue, claim)
    if (claimed.length === 0) return moreToQueue ? 0 : undefined
    const open = new Map(claimed.map((job) => [job.subject as Hex, job]))
    try {
      const block = await this.options.observedBlock(signal)
      if (block === undefined) return undefined
      await this.observe(open, block, signal)
    } finally {
      // What has no outcome by now is due again at once: whatever went wrong was not its fault.
      await jobs.settle(
        database,
        [...open.values()].map((job) => ({ job, ending: "released" })),
      )
    }
    return moreToQueue || claimed.length === this.batchSize ? 0 : undefined
  }

  /**
   * Takes every contract that has its outcome, or its new date, out of `open`. Stops when a claim is lost: so may be
   * the block.
   */
  private async observe(open: Map<Hex, Job>, block: ObservedBlock, signal: AbortSignal): Promise<void> {
    const { database, question, jobs } = this.options
    const heights = await this.heightsOf(database, [...open.keys()])
    const contracts = [...open.keys()].filter((contract) => (heights.get(contract) ?? Infinity) <= block.height)
    const unasked = [...open.keys()].filter((contract) => !contracts.includes(contract))
    const early = unasked.map((contract) => ({ contract, status: "deferred" }) as Answer)
    if (!(await this.settle(open, block, early))) return
    for await (const outcomes of question.ask({ contracts, block, signal })) {
      if (!(await this.settle(open, block, outcomes))) return
      if (open.size === 0) break
      const held = await jobs.renew(database, { jobs: [...open.values()], holdMs: this.holdMs })
      if (held.size < open.size) return
    }
  }

  /**
   * Writes what was learned, about contracts that are some still and whose claim has not ended. False when one has.
   */
  private async settle(open: Map<Hex, Job>, block: ObservedBlock, outcomes: readonly Answer[]): Promise<boolean> {
    if (outcomes.length === 0) return true
    const { database, ledger, question, jobs } = this.options
    const held = await database.transaction(
      async (tx) => {
        // Else the rows of a settlement and those of a rollback would wait for each other.
        await ledger.lockChain(tx, "shared")
        const known = await this.heightsOf(
          tx,
          outcomes.map(({ contract }) => contract),
        )
        const settled = await jobs.settle(
          tx,
          outcomes.map(({ contract, status }) => {
            const job = open.get(contract)!
            return { job, ...(known.has(contract) ? endingOf(status, job) : { ending: "done" }) }
          }),
        )
        const learned = outcomes.filter(
          ({ contract, status }) =>
            status !== "deferred" && known.has(contract) && settled.has(open.get(contract)!.id),
        )
        if (learned.length > 0) await question.write(tx, { block, outcomes: learned })
        return settled
      },
      { lockTimeoutMs },
    )
    for (const { contract } of outcomes) open.delete(contract)
    this.logger.debug(
      { outcomes: outcomes.length, settled: held.size, left: open.size, height: block.height },
      "contracts asked",
    )
    return held.size === outcomes.length
  }

  private async heightsOf(sql: Queryable, contracts: readonly Hex[]): Promise<ReadonlyMap<string, number>> {
    const { rows } = await sql.query<{ subject: string; height: string }>(this.options.question.subjectsSql, [
      contracts.map((contract) => Buffer.from(contract.slice(2), "hex")),
    ])
    return new Map(rows.map(({ subject, height }) => [subject, Number(height)]))
  }
}

function endingOf(
  status: Outcome["status"],
  { attempts }: Job,
): { readonly ending: JobEnding; readonly waitMs?: number } {
  if (status === "answered" || status === "empty") return { ending: "done" }
  if (status === "deferred") return { ending: "released", waitMs: deferredMs }
  return { ending: "failed", waitMs: Math.min(longestRetryMs, firstRetryMs * 2 ** (attempts - 1)) }
}
