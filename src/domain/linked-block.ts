// What every chain's block has: its place in the chain, and how much is in it. What is in it belongs to the chain's family, whose
// block type extends this one.

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
