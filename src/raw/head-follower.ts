// Follows the head, in one process at a time: stores every height from finality up, in order, as soon as the node has it.
// Elected anew for each run by a lock that dies with its connection; the leases it works under keep it honest.

import { electionLock } from "../coordination/postgres/coordination-tables.js"
import type { Clock } from "../platform/clock.js"
import type { Logger } from "../platform/logger.js"
import { LoopingService } from "../platform/looping-service.js"
import type { Random } from "../platform/random.js"
import type { Connection } from "../postgres/connection.js"
import type { BlockSource, ChainHead } from "../source/block-source.js"
import { recordHead } from "./chain-state.js"
import { liveRegion } from "./claim-regions.js"
import type { IngestOutcome, RangeIngester } from "./range-ingester.js"

export interface HeadFollowerOptions {
  readonly connect: () => Promise<Connection>
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
  readonly pollMs: number
  readonly mayClaim: () => boolean
  readonly onOutcome: (outcome: IngestOutcome) => void
  readonly onHead: (head: ChainHead, finalizedHeight: number) => void
}

/** An idle election transaction is ended by the server after this: a stopped follower cannot keep the post. */
const electionIdleMs = 10_000
/** A run is over well before that. */
const runMs = 3_000
const blocksPerLease = 16

export class HeadFollower extends LoopingService {
  private readonly options: HeadFollowerOptions
  private election: Connection | undefined
  /** Whether this process held the post in its last run. */
  following = false

  constructor(options: HeadFollowerOptions) {
    super({
      name: "head-follower",
      clock: options.clock,
      logger: options.logger,
      random: options.random,
      intervalMs: options.pollMs,
      maxBackoffMs: 5_000,
    })
    this.options = options
  }

  /** A hint that the head moved. Those who do not follow it leave it to the one who does. */
  headMoved(): void {
    if (this.following) this.wake()
  }

  async runOnce(signal: AbortSignal): Promise<number | undefined> {
    if (!this.options.mayClaim()) return undefined
    const election = await this.electionConnection()
    const cut = (): void => election.destroy()
    signal.addEventListener("abort", cut, { once: true })
    const was = this.following
    try {
      const more = await election.transaction(
        async (tx) => {
          const {
            rows: [post],
          } = await tx.query<{ mine: boolean }>("select pg_try_advisory_xact_lock($1, $2) as mine", [
            ...electionLock("head-follower"),
          ])
          this.following = post!.mine
          return this.following ? this.follow(signal) : false
        },
        { idleInTransactionTimeoutMs: electionIdleMs },
      )
      if (this.following && !was) this.logger.info({}, "this process follows the head")
      return more ? 0 : undefined
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
    const { source, ingester, holder, finalityDepth, endBlock, leaseTtlMs, clock, onHead, onOutcome } =
      this.options
    const began = clock.monotonic()
    const head = await source.head({ signal })
    const finalizedHeight = head.finalizedHeight ?? Math.max(0, head.height - finalityDepth)
    await recordHead(await ingester.connection(), { head, finalizedHeight, holder })
    onHead(head, finalizedHeight)
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
        },
        signal,
      )
      onOutcome(outcome)
      if (outcome.kind === "failed") throw outcome.error
      if (outcome.kind === "idle") return false
    }
    return true
  }

  private async electionConnection(): Promise<Connection> {
    if (!this.election || this.election.closed) this.election = await this.options.connect()
    return this.election
  }
}
