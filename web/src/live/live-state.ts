// What the stream has told of a chain since the page was opened. Pure: an event in, the next state out.

import type { StreamData, StreamEvent } from "tidemark/client"

export interface LiveState {
  readonly head: StreamData["block"] | undefined
  readonly watermark: string | null | undefined
  /** Blocks that were told, rolled back ones too: what a list counts as new. */
  readonly blocks: number
  readonly transactions: number
  readonly rollback: StreamData["rollback"] | undefined
  readonly halted: string | undefined
}

export const nothingYet: LiveState = {
  ...{ head: undefined, watermark: undefined, blocks: 0, transactions: 0, rollback: undefined, halted: undefined },
}

export function nextLiveState(state: LiveState, event: StreamEvent): LiveState {
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
      return { ...state, rollback: event.data }
    case "status":
      return { ...state, halted: event.data.halted ? (event.data.reason ?? "") : undefined }
    case "reset":
      return state
  }
}
