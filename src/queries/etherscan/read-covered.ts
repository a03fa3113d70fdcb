// Reads for a format that cannot say how far an answer is complete: what is not is refused, unless the client accepts it.

import type { BlockRange } from "../../domain/block-range.js"
import { type RangeSet, rangeSet, subtract } from "../../domain/range-set.js"
import type { Queryable } from "../../postgres/transaction.js"
import { type AnswerScope, readScope, type Store } from "../answer-scope.js"
import type { Completeness, EtherscanAsk } from "./etherscan-action.js"
import { EtherscanError } from "./etherscan-error.js"

export interface CoveredNeed {
  readonly store: Store
  readonly workers: readonly string[]
  /** From the first block on, unless given. */
  readonly from?: number | undefined
  /** Included. Without it the answer is of the newest block that is covered. */
  readonly to?: number | undefined
}

export interface Covered {
  readonly tx: Queryable
  readonly scope: AnswerScope
  /** Half-open, within what is stored. */
  readonly asked: BlockRange
  readonly head: number
}

/** Block 0 has no transactions, so a store that begins with block 1 is whole. */
const firstWithContent = 1

export async function readCovered<T>(
  { chain, params, lagBlocks }: Pick<EtherscanAsk, "chain" | "params" | "lagBlocks">,
  { store, workers, from = 0, to }: CoveredNeed,
  read: (covered: Covered) => Promise<T>,
): Promise<{ readonly value: T; readonly completeness: Completeness; readonly scope: AnswerScope }> {
  const { head } = await chain.head()
  return chain.read(store, async (tx) => {
    const scope = await readScope(tx, { store, workers })
    if (!scope) throw new EtherscanError(`Error! The store of ${chain.name} is empty`)
    if (!scope.isKnown)
      throw new EtherscanError(`Error! This needs the workers ${workers.join(", ")}, which do not run`)
    const end = scope.covered.at(-1)?.to ?? scope.start
    const headEnd = Math.max(end, (head ?? -1) + 1)
    const gaps = missing(scope, { from, to, end, headEnd, lagBlocks })
    if (gaps.length > 0 && !params.isPartialAccepted) throw incomplete(gaps)
    const low = Math.max(scope.start, from)
    const asked = { from: low, to: Math.max(low, Math.min(end, (to ?? end) + 1)) }
    const value = await read({ tx, scope, asked, head: headEnd - 1 })
    return { value, scope, completeness: { watermark: scope.watermark, gaps } }
  })
}

/** Of the asked heights up to the head; without an upper end, the newest blocks may still be missing. */
function missing(
  { covered }: AnswerScope,
  {
    from,
    to = Number.POSITIVE_INFINITY,
    end,
    headEnd,
    lagBlocks,
  }: { from: number; to: number | undefined; end: number; headEnd: number; lagBlocks: number },
): RangeSet {
  const isOpen = to >= headEnd
  const high = isOpen ? (headEnd - end <= lagBlocks ? end : headEnd) : to + 1
  const low = Math.max(firstWithContent, from)
  return low < high ? subtract(rangeSet([{ from: low, to: high }]), covered) : []
}

function incomplete(gaps: RangeSet): EtherscanError {
  const shown = gaps.slice(0, 3).map(({ from, to }) => `${from} to ${to - 1}`)
  const more = gaps.length > shown.length ? ` and ${gaps.length - shown.length} more ranges` : ""
  return new EtherscanError(
    `Error! Incomplete: blocks ${shown.join(", ")}${more} are not indexed. Ask for other blocks with startblock and ` +
      "endblock, or add partial=true to get what there is",
  )
}
