// What a node is asked about contracts beside the blocks: which contracts, how, and where the answers are kept.

import type { Hex } from "../../../../domain/linked-block.js"
import type { Queryable } from "../../../../postgres/transaction.js"
import type { ObservedBlock } from "./ask-at-block.js"

/**
 * answered and empty end the question. silent: the contract reverts or says nothing. failed: the node answers, but
 * not about it. deferred: nothing is known and nothing is held against it.
 */
export interface Outcome {
  readonly contract: Hex
  readonly status: "answered" | "empty" | "silent" | "failed" | "deferred"
}

export interface AskOptions {
  readonly contracts: readonly Hex[]
  readonly block: ObservedBlock
  readonly signal: AbortSignal
}

/** Its statements give `subject`, which is the address as 0x and hex digits, and `height`. */
export interface Question<Answer extends Outcome> {
  /** The name of its queue. */
  readonly queue: string
  /** Where contracts appear: those of heights [$1, $2) that were not asked at that height or above. */
  readonly newSubjectsSql: string
  /** The height of the last of the first $3 rows in heights [$1, $2). */
  readonly pageEndSql: string
  /** Those of $1 (bytea[]) that are contracts still, and the height below which they cannot be asked. */
  readonly subjectsSql: string
  /** Outcomes as they come, each contract once. Throws when the node does not answer, or does not have the block. */
  ask(options: AskOptions): AsyncGenerator<readonly Answer[]>
  write(tx: Queryable, answers: { readonly block: ObservedBlock; readonly outcomes: readonly Answer[] }): Promise<void>
}
