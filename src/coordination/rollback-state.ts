// What one process does with the open rollback, as it reports it. For people: no decision of the protocol reads it.

export interface RollbackState {
  readonly id: string
  /** Null while it waits for the locks, or for the next attempt. */
  readonly step: "app" | "raw" | null
  /** Heights of this step. */
  readonly done: number
  readonly total: number
  /** Of this step, at its pace so far. */
  readonly etaMs: number | null
  /** Attempts of this process that failed. */
  readonly failures: number
  readonly error: { readonly code: string; readonly message: string } | null
}
