// Calls that are passed to a chain's node for a client: each costs the operator what the node's provider charges.

interface NodeRefusal {
  readonly code: number
  readonly message: string
  /** What a contract that reverts returned. */
  readonly data?: string | undefined
}

export interface NodeCalls {
  /** Throws an IndexerError when no node answers. */
  call(
    method: string,
    params: readonly unknown[],
    signal: AbortSignal,
  ): Promise<{ readonly value: unknown } | { readonly refusal: NodeRefusal }>
  close(): Promise<void>
}
