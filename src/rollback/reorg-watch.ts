// Decides, in the process that follows the head, whether the chain was reorganised. Rolls back once two providers
// agree, or one gives the same answer twice some seconds apart. Past the depth limit or below finality it deletes
// nothing and halts ingestion with a reason.

import type { ChainRecord } from "../coordination/chain-record.js"
import type { IntentLedger, RollbackIntent } from "../coordination/rollback-ledger.js"
import type { RuntimeDeps } from "../platform/service.js"
import type { Queryable } from "../postgres/transaction.js"
import type { ReorgGuard, ReorgVerdict } from "../raw/reorg-guard.js"
import type { BlockSource, FetchOptions } from "../source/block-source.js"
import { type Divergence, findDivergence } from "./find-divergence.js"

export interface ReorgWatchOptions extends RuntimeDeps {
  readonly raw: Queryable
  readonly ledger: Pick<IntentLedger & ChainRecord, "openIntent" | "highestEverCovered" | "halt" | "resume">
  /** Finishes the recorded rollback; undefined if another process finished it first. */
  readonly finish: () => Promise<RollbackIntent | undefined>
  readonly source: Pick<BlockSource, "hashesByProvider">
  readonly maxDepth: number
  /** The least time between the two answers of a single provider. */
  readonly confirmMs: number
}

export class ReorgWatch implements ReorgGuard {
  private suspected: { readonly height: number; readonly hash: string; readonly at: number } | undefined

  constructor(private readonly options: ReorgWatchOptions) {}

  async check(fetch: FetchOptions): Promise<ReorgVerdict> {
    const { raw, source, ledger, logger } = this.options
    const found = await findDivergence({ raw, source }, fetch)
    switch (found.kind) {
      case "none":
        this.suspected = undefined
        // The node is back on the stored chain: there is nothing left to decide.
        if (await ledger.resume(raw)) logger.info({}, "the node is back on the stored chain: ingestion continues")
        return found.isWhole ? "none" : "partly"
      case "disputed":
        this.suspected = undefined
        logger.warn({ height: found.height, code: "REORG_DISPUTED" }, found.message)
        return "waiting"
      case "diverged":
        return this.isCertain(found) ? this.act(found) : "waiting"
    }
  }

  private isCertain({ height, hash, providers }: Divergence & { kind: "diverged" }): boolean {
    if (providers > 1) return true
    const { clock, confirmMs, logger } = this.options
    const now = clock.monotonic()
    const before = this.suspected
    if (before?.height !== height || before.hash !== hash) {
      this.suspected = { height, hash, at: now }
      logger.info({ height, hash }, "the node has another block than the stored one; confirming before a rollback")
      return false
    }
    return now - before.at >= confirmMs
  }

  private async act({
    height,
    message,
    ancestorHash,
    epoch,
    finalized,
  }: Divergence & { kind: "diverged" }): Promise<ReorgVerdict> {
    const { raw, ledger, random, logger, maxDepth } = this.options
    this.suspected = undefined
    const highest = await ledger.highestEverCovered(raw)
    const depth = highest - height + 1
    const isFinal = finalized !== null && height <= finalized
    if (isFinal || depth > maxDepth) {
      const reason = isFinal
        ? `${message}, but that was final (finality is at ${finalized})`
        : `the node's chain differs from the stored one at block ${height}, ${depth} blocks below the highest ` +
          `block ever stored; MAX_REORG_DEPTH is ${maxDepth}`
      await ledger.halt(raw, { reason, height })
      logger.fatal({ height, depth, code: "REORG_HALTED" }, `${reason}; nothing was deleted, ingestion halts`)
      return "halted"
    }
    const opened = await ledger.openIntent(raw, {
      id: random.uuid(),
      from: height,
      ancestorHash,
      epoch,
      reason: `reorganisation: ${message}`,
    })
    if (!opened) return "waiting"
    logger.warn({ from: height, depth }, "the chain was reorganised: rolling back its old blocks")
    return (await this.options.finish()) ? "rolled-back" : "waiting"
  }
}
