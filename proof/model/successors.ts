// All steps from a state. One step is one transaction, or one piece of a transaction that others can come between. Nothing here knows
// about time: a lease may end at any moment, a process may pause between any two steps for ever.

import type { Config } from "./config.js"
import type { Emit, State } from "./state.js"
import { automaticSteps } from "./steps/automatic.js"
import { goingBackSteps } from "./steps/going-back.js"
import { operatorSteps } from "./steps/operators.js"
import { intentSteps, rollbackSteps } from "./steps/rollbacks.js"
import { copierSteps, reaperSteps } from "./steps/services.js"
import { undoSteps } from "./steps/undo.js"
import { workSteps } from "./steps/work.js"

export function successors(state: State, config: Config, emit: Emit): void {
  if (state.chain.length < config.reorgs) {
    for (const depth of config.depths) {
      const from = config.heights - depth
      emit(`!reorganisation: blocks from ${from} replaced`, { ...state, chain: [...state.chain, from] }, true)
    }
  }
  workSteps(state, config, emit)
  automaticSteps(state, config, emit)
  reaperSteps(state, config, emit)
  copierSteps(state, config, emit)
  intentSteps(state, config, emit)
  rollbackSteps(state, config, emit)
  operatorSteps(state, config, emit)
  goingBackSteps(state, config, emit)
  undoSteps(state, config, emit)
}
