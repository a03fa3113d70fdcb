// A hazard put back: a known way to lose data, as a change of the sources, and what must notice it. The change is made in a copy of
// the tree, never in the build.

/** `find` occurs in the file exactly once. */
export type Patch = readonly [file: string, find: string, replace: string]

/** See docs/simulation.md. Not BUG: an assertion of the product is no proof that a checker works. */
export type Invariant = "I1" | "I2" | "I3" | "I4" | "I5" | "I6" | "I7" | "I8" | "I9" | "fence"

/** Faults that were not written for this bug: seeds of the simulation, or a fault scenario on real processes. */
export type Catcher =
  | {
      readonly by: "simulation"
      readonly seeds: number
      /** A title of proof/simulation/regressions.ts: its faults, with the chances of so many seeds. */
      readonly regression?: string
      /** Those that the bug may break first; which one depends on the seed. */
      readonly notices: readonly Invariant[]
    }
  | {
      readonly by: "chaos"
      readonly scenario: string
      readonly count: number
      readonly seed: number
      /** Matches the scenario's failure. */
      readonly notices: RegExp
    }

/** A test of the rule that the bug breaks. `notices` matches its failure; a failed expectation by default. */
export type NamedTest = readonly [file: string, title: string, notices?: RegExp]

export interface Bug {
  /** See docs/hazards.md. */
  readonly hazard: string
  readonly patches: readonly Patch[]
  readonly caughtBy: Catcher
  readonly test: NamedTest
}
