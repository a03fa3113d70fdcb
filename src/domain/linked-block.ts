// What every chain's block has: its place in the chain, and how many rows it holds. The chain's family extends this
// type with the rows themselves.

/** "0x" and hex digits. A plain string at run time. */
export type Hex = string

export interface LinkedBlock {
  readonly height: number
  readonly hash: Hex
  readonly parentHash: Hex
  /** Microseconds since 1970, exact: Flow has fractions, and some chains count milliseconds as seconds. */
  readonly timestampUs: bigint
  readonly transactionCount: number
  readonly eventCount: number
  /** Size of the node's answer for this block, for pacing and memory bounds. */
  readonly sourceBytes: number
}
