// Decides, in the process that follows the head, whether the chain was reorganised, and rolls back once it is sure: two providers that agree,
// or the same answer of one twice, some seconds apart. Too deep or below finality nothing is deleted: ingestion halts and says why.

import type { ChainRecord } from "../coordination/chain-record.js"
import type { IntentLedger, RollbackIntent } from "../coordination/rollback-ledger.js"
import type { Clock } from "../platform/clock.js"
import type { Logger } from "../platform/logger.js"
import type { Random } from "../platform/random.js"
import type { Queryable } from "../postgres/transaction.js"
import type { ReorgGuard, ReorgVerdict } from "../raw/head-follower.js"
import type { BlockSource, FetchOptions } from "../source/block-source.js"
import { type Divergence, findDivergence } from "./find-divergence.js"

export interface ReorgWatchOptions {
  readonly raw: Queryable
  readonly ledger: Pick<IntentLedger & ChainRecord, "openIntent" | "highestEverCovered" | "halt" | "resume">
  /** Brings the rollback that was recorded to its end; undefined where somebody else will. */
  readonly finish: () => Promise<RollbackIntent | undefined>
  readonly source: Pick<BlockSource, "hashesByProvider">
  readonly clock: Clock
  readonly logger: Logger
  readonly random: Random
  readonly maxDepth: number
  /** Between the two answers of a lone provider. */
  readonly confirmMs: number
}

export class ReorgWatch implements ReorgGuard {
  private readonly options: ReorgWatchOptions
  private suspected: { readonly height: number; readonly hash: string; readonly at: number } | undefined

  constructor(options: ReorgWatchOptions) {
    this.options = options
  }

  async check(fetch: FetchOptions): Promise<ReorgVerdict> {
    const { raw, source, logger } = this.options
    const found = await findDivergence({ raw, source }, fetch)
    switch (found.kind) {
      case "none":
        this.suspected = undefined
        await this.resume()
        return "none"
      case "disputed":
        this.suspected = undefined
        logger.warn({ height: found.height, code: "REORG_DISPUTED" }, found.message)
        return "waiting"
      case "diverged":
        return this.isCertain(found) ? this.act(found) : "waiting"
    }
  }

  private isCertain({ height, hash, witnesses }: Divergence & { kind: "diverged" }): boolean {
    if (witnesses > 1) return true
    const { clock, confirmMs, logger } = this.options
    const now = clock.monotonic()
    const before = this.suspected
    if (before?.height !== height || before.hash !== hash) {
      this.suspected = { height, hash, at: now }
      logger.info(
        { height, hash },
        "the node has another block than is stored; asking again before anything is taken back",
      )
      return false
    }
    return now - before.at >= confirmMs
  }

  /** The node is back on the chain that is stored: there is nothing to decide any more. */
  private async resume(): Promise<void> {
    const { raw, ledger, logger } = this.options
    if (await ledger.resume(raw)) logger.info({}, "the node is back on the stored chain: ingestion goes on")
  }

  private async act(found: Divergence & { kind: "diverged" }): Promise<ReorgVerdict> {
    const { raw, ledger, random, logger, maxDepth } = this.options
    this.suspected = undefined
    const highest = await ledger.highestEverCovered(raw)
    const depth = highest - found.height + 1
    const isFinal = found.finalized !== null && found.height <= found.finalized
    if (isFinal || depth > maxDepth) {
      const reason = isFinal
        ? `the node's block ${found.height} is ${found.hash}, but another one was final there (finality is at ${found.finalized})`
        : `the node's chain parts from what is stored at block ${found.height}, ${depth} blocks below the highest ever stored; MAX_REORG_DEPTH is ${maxDepth}`
      await ledger.halt(raw, { reason, height: found.height })
      logger.fatal(
        { height: found.height, depth, code: "REORG_HALTED" },
        `${reason}; nothing was deleted, ingestion halts`,
      )
      return "halted"
    }
    const opened = await ledger.openIntent(raw, {
      id: random.uuid(),
      from: found.height,
      ancestorHash: found.ancestorHash,
      epoch: found.epoch,
      reason: `reorganisation: the node has ${found.hash} at block ${found.height}, not the stored one`,
    })
    if (!opened) return "waiting"
    logger.warn({ from: found.height, depth }, "the chain was reorganised: its old blocks are taken back")
    return (await this.options.finish()) ? "rolled-back" : "waiting"
  }
}
