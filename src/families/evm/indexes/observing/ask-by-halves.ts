// Asks about many contracts at once. Every contract gets its own outcome, whatever the others do: a request that
// fails is halved down to the one that breaks it. Only a node that answers nothing at all is an error here.

import type { Hex } from "../../../../domain/linked-block.js"
import { isIndexerError } from "../../../../platform/errors.js"

export interface AskByHalves<Answer> {
  readonly contracts: readonly Hex[]
  readonly ask: (contracts: readonly Hex[]) => Promise<readonly Answer[]>
  /** Throws when the node answers nothing at all: then it is no fault of these contracts. */
  readonly askControl: () => Promise<unknown>
  readonly signal: AbortSignal
}

interface Group {
  readonly contracts: readonly Hex[]
  /** The last try of a single contract: an outage of a moment must not be held against it. */
  readonly again: boolean
}

export type NoAnswer = { readonly contract: Hex; readonly status: "failed" | "deferred" }

export async function* askByHalves<Answer>(
  options: AskByHalves<Answer>,
): AsyncGenerator<readonly (Answer | NoAnswer)[]> {
  const { contracts, ask, askControl, signal } = options
  const groups: Group[] = contracts.length > 0 ? [{ contracts, again: false }] : []
  for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
    signal.throwIfAborted()
    try {
      yield await ask(group.contracts)
    } catch (error) {
      if (signal.aborted || !isIndexerError(error) || error.code === "RPC_BLOCK_MISSING") throw error
      await askControl()
      const rest = smallerGroups(group)
      groups.push(...rest)
      if (rest.length > 0) continue
      const status = error.code === "RPC_RATE_LIMITED" ? "deferred" : "failed"
      yield [{ contract: group.contracts[0]!, status }]
    }
  }
}

function smallerGroups({ contracts, again }: Group): Group[] {
  if (contracts.length === 1) return again ? [] : [{ contracts, again: true }]
  const middle = contracts.length >> 1
  return [contracts.slice(middle), contracts.slice(0, middle)].map((half) => ({
    contracts: half,
    again: false,
  }))
}
