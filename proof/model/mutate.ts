// Searches for what becomes of the protocol without some of its rules.

import { configure } from "./config.js"
import { configurations } from "./configurations.js"
import { type Exploration, explore } from "./explore.js"
import type { Mutation } from "./mutations.js"

export interface Mutated {
  /** The first world's violation, if one of them has any. */
  readonly found: Exploration | undefined
  readonly world: string | undefined
  readonly states: number
}

export function mutate({ rules, where }: Mutation, { maxStates = 1.5e6 } = {}): Mutated {
  let states = 0
  for (const world of where) {
    const found = explore(configure(configurations[world]!, { rules, hardOnly: true }), { maxStates })
    states += found.states
    if (found.violation) return { found, world, states }
    if (found.cutOff) throw new Error(`the space of ${world} is too large to show anything`)
  }
  return { found: undefined, world: undefined, states }
}
