// Follows the head, in one process at a time: stores every height from finality up, in order, as soon as the node
// has it. Each run holds the election's lock, which ends with its connection. The leases still fence every commit.

import type { ChainRecord, HeadReport } from "../coordination/chain-record.js"
import type { Elections } from "../coordination/elections.js"
import type { LaneOptions } from "../coordination/lane-options.js"
import type { ProcessIdentity } from "../coordination/process-identity.js"
import { describeError, type ErrorCode, isIndexerError } from "../platform/errors.js"
import { LoopingService } from "../platform/looping-service.js"
import type { SqlConnection } from "../postgres/sql-connection.js"
import type { BlockSource, ChainHead } from "../source/block-source.js"
import { liveRegion } from "./claim-regions.js"
import type { IngestOutcome, RangeIngester } from "./range-ingester.js"
import type { ReorgGuard } from "./reorg-guard.js"

export interface HeadFollowerOptions extends Omit<LaneOptions<IngestOutcome>, "intervalMs"> {
  readonly connect: () => Promise<SqlConnection>
  readonly elections: Elections
  readonly chain: ChainRecord
  readonly ingester: RangeIngester
  readonly source: BlockSource
  readonly holder: ProcessIdentity
  /** For nodes without a finalized tag. */
  readonly finalityDepth: number
  /** The interval of the process that follows the head, and that of the others. */
  readonly pollMs: number
  readonly takeOverMs: number
  /** The node announces new heads, so polling can be rare. */
  readonly announced: () => boolean
  readonly onHead: (head: ChainHead, finalizedHeight: number) => void
  /** Detects a reorganisation and rolls back what is no longer on the chain. */
  readonly reorgs: ReorgGuard
}

/** rest: until the next head. continue: there is more to store right now. compare: before anything is stored. */
type NextStep = { readonly kind: "rest" | "continue" } | { readonly kind: "compare"; readonly seen: SeenHead }

interface SeenHead {
  readonly observed: HeadReport
  /** Finality, as recorded when the head was. */
  readonly recorded: number
}

/** A range that does not match what is stored beside it. */
const mismatches: readonly ErrorCode[] = ["SEAM_MISMATCH", "PARENT_MISMATCH"]

/** The server ends an idle election transaction after this, so a stopped follower cannot stay elected. */
const electionIdleMs = 10_000
/** A run ends well before that. */
const runMs = 3_000
const blocksPerLease = 16
/** When recorded finality lags this far behind the node's, what is stored above it is compared at once. */
const finalityLagBlocks = 256
/**
 * The lock is free between two runs of the elected process. Without this patience two processes would replace each
 * other all the time, and each time compare everything above finality with the node.
 */
const intervalsUntilTakeOver = 2
/** The pause after an answer, as a multiple of the time it took: a slow node has history to serve too. */
const restPerAnswer = 4

export class HeadFollower extends LoopingService {
  private election: SqlConnection | undefined
  /** Whether this process was elected in its last run. */
  following = false
  private hinted = false
  private answerMs = 0
  /** What is stored above finality was compared with the node since this process was elected. */
  private compared = false

  constructor(private readonly options: HeadFollowerOptions) {
    super({ ...options, name: "head-follower", intervalMs: options.takeOverMs, maxBackoffMs: 5_000 })
  }

  /** A hint that the head moved. Processes that do not follow the head ignore it. */
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
      let next = await this.runElected(election, { signal })
      if (next.kind === "compare") {
        const isSafe = await this.compare(election, { observed: next.seen.observed, signal })
        next = isSafe ? await this.runElected(election, { seen: next.seen, signal }) : { kind: "rest" }
      }
      if (this.following && !was) this.logger.info({}, "this process follows the head")
      return next.kind !== "rest" || this.hinted ? 0 : this.untilNextRun()
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

  private runElected(
    election: SqlConnection,
    { seen, signal }: { readonly seen?: SeenHead; readonly signal: AbortSignal },
  ): Promise<NextStep> {
    return election.transaction(
      async (tx): Promise<NextStep> => {
        const { elections, holder, takeOverMs } = this.options
        const patienceMs = takeOverMs * intervalsUntilTakeOver
        const won = await elections.winHead(tx, { holder, patienceMs })
        this.following = won.mine
        // A process that takes over, or was replaced in between, first compares what is stored with the node.
        if (!this.following || !won.kept) this.compared = false
        if (!this.following) return { kind: "rest" }
        // Compared just now, and by this process still.
        if (seen && this.compared) return this.store(seen, signal)
        return this.follow(signal)
      },
      { idleInTransactionTimeoutMs: electionIdleMs },
    )
  }

  private async follow(signal: AbortSignal): Promise<NextStep> {
    const { source, chain, ingester, holder, finalityDepth, clock, onHead } = this.options
    const began = clock.monotonic()
    const head = await source.head({ signal, urgent: true })
    this.answerMs = clock.monotonic() - began
    const finalizedHeight = head.finalizedHeight ?? Math.max(0, head.height - finalityDepth)
    const observed = { head, finalizedHeight, holder }
    if (!this.compared) await chain.takeHeadPost(await ingester.runner.connection(), holder)
    const recorded = await chain.recordHead(await ingester.runner.connection(), observed)
    onHead(head, finalizedHeight)
    if (!this.compared || finalizedHeight - recorded > finalityLagBlocks || (await this.doubts(head))) {
      return { kind: "compare", seen: { observed, recorded } }
    }
    return this.store({ observed, recorded }, signal)
  }

  /**
   * Outside of the election's transaction, which the server ends after a while: a node may take long to answer, and so
   * may a rollback. The post is enough to keep others from storing, and is kept for as long as this takes. Returns
   * whether blocks may be stored now.
   */
  private async compare(
    election: SqlConnection,
    { observed, signal }: { readonly observed: HeadReport; readonly signal: AbortSignal },
  ): Promise<boolean> {
    const { chain, holder, reorgs } = this.options
    this.compared = false
    const over = new AbortController()
    const keeping = this.keepPost(election, over.signal).catch((error: unknown) => {
      // The next statement over this connection reports it.
      this.logger.debug({ error: describeError(error) }, "the head's post could not be kept")
    })
    const verdict = await reorgs.check({ signal, urgent: true }).finally(async () => {
      over.abort()
      await keeping
    })
    // Another process may have stored blocks since, which this one has not compared.
    if (!(await chain.keepHeadPost(election, holder))) return false
    this.compared = verdict === "none" || verdict === "partly" || verdict === "rolled-back"
    // Not of blocks that no provider could compare: once final, they are never rolled back.
    if (verdict === "none") await chain.recordFinality(election, observed)
    return this.compared
  }

  private async keepPost(election: SqlConnection, signal: AbortSignal): Promise<void> {
    const { chain, holder, takeOverMs, clock } = this.options
    for (;;) {
      await clock.sleep(takeOverMs / 2, signal)
      if (signal.aborted || !(await chain.keepHeadPost(election, holder))) return
    }
  }

  private async store({ observed, recorded }: SeenHead, signal: AbortSignal): Promise<NextStep> {
    const { chain, ingester, holder, endBlock, leaseTtlMs, clock, onOutcome } = this.options
    const began = clock.monotonic()
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
      // The runner has isolated it: the next claim passes its block.
      if (outcome.kind === "failed" && outcome.cause === "bug") continue
      if (outcome.kind === "failed") {
        // The next run starts at once and checks for a reorganisation: the refused range is on record by then.
        if (isIndexerError(outcome.error) && mismatches.includes(outcome.error.code)) return { kind: "continue" }
        if (isIndexerError(outcome.error, "POST_LOST")) this.compared = false
        throw outcome.error
      }
      if (outcome.kind === "idle") {
        // By now the head is stored and linked.
        const isBehind = recorded < observed.finalizedHeight
        if (isBehind) await chain.recordHead(await ingester.runner.connection(), observed)
        return { kind: "rest" }
      }
    }
    return { kind: "continue" }
  }

  /** Whether anything suggests that what is stored is no longer the chain. */
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

  private untilNextRun(): number | undefined {
    if (!this.following || this.options.announced()) return undefined
    return Math.max(this.options.pollMs, this.answerMs * restPerAnswer)
  }

  private async electionConnection(): Promise<SqlConnection> {
    if (!this.election || this.election.closed) this.election = await this.options.connect()
    return this.election
  }
}
