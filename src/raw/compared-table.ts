// A raw table as verify compares it with a node's answer: which columns identify a row, and which are told by the chain.

export interface ComparedTable {
  readonly name: string
  /** The column that holds the height. */
  readonly height: string
  readonly key: readonly string[]
  readonly columns: readonly string[]
}
