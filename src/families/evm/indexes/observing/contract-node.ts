// What the observer needs of a node: any calls as one batch, with failover and limits behind it. The EVM source has it.

export interface NodeCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export interface NodeAnswer {
  readonly value: unknown
  /** The node's error of this call; a revert is one. */
  readonly error: { readonly code: number | null } | null
}

export interface ContractNode {
  /** Answers in the order of the calls. Throws an IndexerError when the request as a whole has no answer. */
  call(calls: readonly NodeCall[], options: { readonly signal: AbortSignal }): Promise<readonly NodeAnswer[]>
}
