// A hazard put back: what an indexer like this one does wrong elsewhere, as a change of the sources, and what notices. Nothing
// of it is in the build: the change is made in a copy of the tree.

export interface Patch {
  readonly file: string
  /** Stands in the file exactly once. */
  readonly find: string
  readonly replace: string
}

/** Of docs/simulation.md. Not BUG: an assertion of the product itself is no proof that an invariant is looked after. */
type Invariant = "I1" | "I2" | "I3" | "I4" | "I5" | "I6" | "I7" | "I8" | "I9" | "fence"

/** Faults and orders that nobody wrote down for this bug: seeds of the simulation, or a fault scenario on real processes. */
export type Catcher =
  | {
      readonly by: "simulation"
      readonly seeds: number
      /** Of proof/simulation/regressions.ts: its faults, with the chances of so many seeds. */
      readonly regression?: string
      /** Those that the bug may break first; which one it is depends on the seed. */
      readonly notices: readonly Invariant[]
    }
  | {
      readonly by: "chaos"
      readonly scenario: string
      readonly count: number
      readonly seed?: number
      /** In what the scenario says of its failure. */
      readonly notices: RegExp
    }

/** A test of the very rule that the bug breaks. */
export interface NamedTest {
  readonly file: string
  readonly title: string
  /** In its failure; that an expectation did not hold, unless given. */
  readonly notices?: RegExp
}

export interface Bug {
  /** As in docs/hazards.md. */
  readonly hazard: string
  /** What it does, in one sentence. */
  readonly does: string
  readonly patches: readonly Patch[]
  readonly caughtBy: Catcher
  readonly test: NamedTest
}
