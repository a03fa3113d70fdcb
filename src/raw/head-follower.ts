// Follows the head, in one process at a time: stores every height from finality up, in order, as soon as the node has it.
// Elected anew for each run by a lock that dies with its connection; the leases it works under keep it honest.

import type { ChainRecord } from "../coordination/chain-record.js"
import type { Elections } from "../coordination/elections.js"
import type { Clock } from "../platform/clock.js"
import { type ErrorCode, isIndexerError } from "../platform/errors.js"
import type { Logger } from "../platform/logger.js"
import { LoopingService } from "../platform/looping-service.js"
import type { Random } from "../platform/random.js"
import type { SqlConnection } from "../postgres/sql-connection.js"
import type { BlockSource, ChainHead, FetchOptions } from "../source/block-source.js"
import { liveRegion } from "./claim-regions.js"
import type { IngestOutcome, RangeIngester } from "./range-ingester.js"

export interface HeadFollowerOptions {
  readonly connect: () => Promise<SqlConnection>
  readonly elections: Elections
  readonly chain: ChainRecord
  readonly ingester: RangeIngester
  readonly source: BlockSource
  readonly clock: Clock
  readonly logger: Logger
  readonly random: Random
  readonly holder: string
  readonly endBlock: number | undefined
  /** For nodes without a finalized tag. */
  readonly finalityDepth: number
  readonly leaseTtlMs: number
  /** Between looks of the one who follows the head, and of those who would take over. */
  readonly pollMs: number
  readonly takeOverMs: number
  /** Somebody else says when the head moves: it need not be asked for so often. */
  readonly announced: () => boolean
  readonly mayClaim: () => boolean
  readonly onOutcome: (outcome: IngestOutcome) => void
  readonly onHead: (head: ChainHead, finalizedHeight: number) => void
  /** Finds out whether the chain was reorganised, and takes back what is no longer on it. */
  readonly reorgs: ReorgGuard
}

export interface ReorgGuard {
  check(fetch: FetchOptions): Promise<ReorgVerdict>
}

/** none: nothing to do. waiting: not sure yet. rolled-back: done. halted: a person has to decide. */
export type ReorgVerdict = "none" | "waiting" | "rolled-back" | "halted"

/** A range that did not fit what is stored beside it. */
const mismatches: readonly ErrorCode[] = ["SEAM_MISMATCH", "PARENT_MISMATCH"]

/** An idle election transaction is ended by the server after this: a stopped follower cannot keep the post. */
const electionIdleMs = 10_000
/** A run is over well before that. */
const runMs = 3_000
const blocksPerLease = 16
/** So far behind what the node says, finality is not waited for any longer: what is stored above it is compared. */
const finalityLagBlocks = 256
/**
 * The post is free between two runs of the one who has it. Without this patience two processes would take it from each other all the
 * time, and compare all that is not final with the node at each turn.
 */
const looksUntilTakeOver = 2
/** So many times as long as an answer took passes until the next question: a slow or narrow node has history to serve, too. */
const restPerAnswer = 4

export class HeadFollower extends LoopingService {
  private readonly options: HeadFollowerOptions
  private election: SqlConnection | undefined
  /** Whether this process held the post in its last run. */
  following = false
  private hinted = false
  private answerMs = 0

  /** What is stored above finality was compared with the node since this process took over. */
  private compared = false

  constructor(options: HeadFollowerOptions) {
    super({
      name: "head-follower",
      clock: options.clock,
      logger: options.logger,
      random: options.random,
      intervalMs: options.takeOverMs,
      maxBackoffMs: 5_000,
    })
    this.options = options
  }

  /** A hint that the head moved. Those who do not follow it leave it to the one who does. */
  headMoved(): void {
    if (!this.following) return
    this.hinted = true
    this.wake()
  }

  async runOnce(signal: AbortSignal): Promise<number | undefined> {
    if (!this.options.mayClaim()) return undefined
    this.hinted = false
    const election = await this.electionConnection()
    const cut = (): void => election.destroy()
    signal.addEventListener("abort", cut, { once: true })
    const was = this.following
    try {
      const more = await election.transaction(
        async (tx) => {
          const { elections, holder, takeOverMs } = this.options
          const post = await elections.winHead(tx, { holder, patienceMs: takeOverMs * looksUntilTakeOver })
          this.following = post.mine
          // Whoever takes over, or had it taken over meanwhile, compares what is stored with the node before anything else.
          if (!this.following || !post.kept) this.compared = false
          return this.following ? this.follow(signal) : false
        },
        { idleInTransactionTimeoutMs: electionIdleMs },
      )
      if (this.following && !was) this.logger.info({}, "this process follows the head")
      return more || this.hinted ? 0 : this.untilNextLook()
    } catch (error) {
      this.following = false
      throw error
    } finally {
      signal.removeEventListener("abort", cut)
    }
  }

  override async stop(): Promise<void> {
    await super.stop()
    await this.election?.end()
  }

  /** True when there is more to store right now. */
  private async follow(signal: AbortSignal): Promise<boolean> {
    const { source, chain, ingester, holder, finalityDepth, endBlock, leaseTtlMs, clock, onHead, onOutcome } =
      this.options
    const began = clock.monotonic()
    const head = await source.head({ signal, urgent: true })
    this.answerMs = clock.monotonic() - began
    const finalizedHeight = head.finalizedHeight ?? Math.max(0, head.height - finalityDepth)
    const said = { head, finalizedHeight, holder }
    if (!this.compared) await chain.takeHeadPost(await ingester.runner.connection(), holder)
    const recorded = await chain.recordHead(await ingester.runner.connection(), said)
    onHead(head, finalizedHeight)
    if (!this.compared || finalizedHeight - recorded > finalityLagBlocks || (await this.doubts(head))) {
      const verdict = await this.options.reorgs.check({ signal, urgent: true })
      this.compared = verdict === "none" || verdict === "rolled-back"
      if (!this.compared) return false
      if (verdict === "none") await chain.recordFinality(await ingester.runner.connection(), finalizedHeight)
    }
    while (clock.monotonic() - began < runMs && !signal.aborted) {
      const outcome = await ingester.ingestNext(
        {
          regions: (state) => {
            const region = liveRegion(state, { endBlock })
            return region ? [region] : []
          },
          maxBlocks: blocksPerLease,
          ttlMs: leaseTtlMs,
          order: "oldest",
          inOrder: true,
          urgent: true,
          check: (tx) => chain.assertHeadPost(tx, holder),
        },
        signal,
      )
      onOutcome(outcome)
      if (outcome.kind === "failed") {
        // Looked into at once: by the next run the refused range is on record.
        if (isIndexerError(outcome.error) && mismatches.includes(outcome.error.code)) return true
        if (isIndexerError(outcome.error, "POST_LOST")) this.compared = false
        throw outcome.error
      }
      if (outcome.kind === "idle") {
        // By now the head is stored and linked.
        if (recorded < finalizedHeight) await chain.recordHead(await ingester.runner.connection(), said)
        return false
      }
    }
    return true
  }

  /** Whether something says that what is stored is no longer the chain. */
  private async doubts({ height, hash }: ChainHead): Promise<boolean> {
    const connection = await this.options.ingester.runner.connection()
    const {
      rows: [row],
    } = await connection.query<{ hash: Buffer | null; refused: boolean; halted: boolean }>(
      `select (select hash from raw.blocks where height = $1) as hash, halted_at is not null as halted,
         exists (select 1 from raw.worker_leases
           where status <> 'COMPLETED' and status <> 'ACTIVE' and last_error_code = any ($2)) as refused
       from raw.chain_state`,
      [height, mismatches],
    )
    if (!row) return false
    return row.halted || row.refused || (row.hash !== null && `0x${row.hash.toString("hex")}` !== hash)
  }

  private untilNextLook(): number | undefined {
    if (!this.following || this.options.announced()) return undefined
    return Math.max(this.options.pollMs, this.answerMs * restPerAnswer)
  }

  private async electionConnection(): Promise<SqlConnection> {
    if (!this.election || this.election.closed) this.election = await this.options.connect()
    return this.election
  }
}
