// A raw table as verify compares it with a node's answer: the columns that identify a row, and those the chain
// defines.

export interface ComparedTable {
  readonly name: string
  /** The column that holds the height. */
  readonly height: string
  readonly key: readonly string[]
  readonly columns: readonly string[]
}
