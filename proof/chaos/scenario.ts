// What a fault scenario is, and what it tells of itself: one row of the summary.

import type { Scene } from "./scene.js"

/** quick: seconds. full: as often as docs/reliability.md says. */
export type Profile = "quick" | "full"

export type Facts = Readonly<Record<string, number | string>>

export interface Outcome {
  /** How often the fault really happened, not how often it was meant to. */
  readonly times: number
  readonly compared: string
  /** How long it took to be well again. */
  readonly recovery: string
  readonly facts: Facts
}

/**
 * First a phase in which faults happen and nothing may go wrong, then healing, then a bound within which the work is done.
 * `run` throws where a promise was broken.
 */
export interface Scenario {
  readonly name: string
  readonly fault: string
  readonly count: Readonly<Record<Profile, number>>
  /** Not part of `npm test`, where another scenario or a test in `proof/chaos/faults` meets the same fault. */
  readonly byHand?: true
  run(scene: Scene): Promise<Outcome>
}

/** Thrown where this machine does not permit a fault: it is said, and no failure. */
export class NotPossibleHere extends Error {}
