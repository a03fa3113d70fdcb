// What the stream has told of a chain since the page was opened. Pure: an event in, the next state out.

import type { StreamData, StreamEvent } from "tidemark/client"

export interface LiveState {
  readonly head: StreamData["block"] | undefined
  readonly watermark: string | null | undefined
  /** Blocks that were told, rolled back ones too: what a list counts as new. */
  readonly blocks: number
  readonly transactions: number
  readonly rollback: StreamData["rollback"] | undefined
  /** The last ones, with when this page was told, by its own clock. */
  readonly rollbacks: readonly ToldRollback[]
  readonly halted: string | undefined
}

export interface ToldRollback {
  /** The first height that was removed. */
  readonly from: bigint
  readonly atMs: number
}

/** A page that was read before more of them is old enough to be read again as a whole. */
const keptRollbacks = 50

export const nothingYet: LiveState = {
  ...{ head: undefined, watermark: undefined, blocks: 0, transactions: 0, rollback: undefined, halted: undefined },
  rollbacks: [],
}

export function nextLiveState(state: LiveState, event: StreamEvent, nowMs: number): LiveState {
  switch (event.type) {
    case "block":
      return {
        ...state,
        head: event.data,
        blocks: state.blocks + 1,
        transactions: state.transactions + event.data.transaction_count,
      }
    case "watermark":
      return { ...state, watermark: event.data.height }
    case "rollback":
      return {
        ...state,
        rollback: event.data,
        rollbacks: [...state.rollbacks, { from: BigInt(event.data.removed_from), atMs: nowMs }].slice(-keptRollbacks),
      }
    case "status":
      return { ...state, halted: event.data.halted ? (event.data.reason ?? "") : undefined }
    case "reset":
      return state
  }
}

/** From here on, heights that were read at that time have been removed since; undefined if none. */
export function removedSince(rollbacks: readonly ToldRollback[], readAtMs: number): bigint | undefined {
  const heights = rollbacks.filter(({ atMs }) => atMs >= readAtMs).map(({ from }) => from)
  return heights.length === 0 ? undefined : heights.reduce((lowest, one) => (one < lowest ? one : lowest))
}
