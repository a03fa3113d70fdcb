// The end of a transaction that takes heights back: what it cut and what came since are apart here.

import type { Config } from "../config.js"
import type { Emit, State } from "../state.js"
import { replayInApp } from "./going-back.js"
import { giveBack } from "./operators.js"

export function undoSteps(state: State, config: Config, emit: Emit): void {
  const { undoing } = state
  if (!undoing) return
  const { cut, why } = undoing
  const closed: State = { ...state, undoing: null }
  emit("!whoever takes heights back is gone", closed, true)
  if ("height" in why) emit(`E[${why.height},${why.height + 1}) given back`, giveBack(closed, config, why, cut))
  else emit("rollbacks replayed", replayInApp(closed, config, why, cut))
}
