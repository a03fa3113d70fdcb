// A hazard put back: what an indexer like this one does wrong elsewhere, as a change of the sources, and the test that notices. Nothing
// of it is in the build: the change is made in a copy of the tree.

export interface Patch {
  readonly file: string
  /** Stands in the file exactly once. */
  readonly find: string
  readonly replace: string
}

export interface Catcher {
  readonly file: string
  readonly title: string
}

export interface Bug {
  /** As in docs/hazards.md. */
  readonly hazard: string
  /** What it does, in one sentence. */
  readonly does: string
  readonly patches: readonly Patch[]
  readonly caughtBy: Catcher
}
