// A refusal in the format of Etherscan: status "0", message NOTOK, and the reason as the result.

export class EtherscanError extends Error {
  override readonly name = "EtherscanError"
  /** Of a refusal that is a JSON-RPC error. */
  readonly code: number | undefined
  readonly data: string | undefined

  constructor(reason: string, { code, data }: { readonly code?: number; readonly data?: string | undefined } = {}) {
    super(reason)
    this.code = code
    this.data = data
  }
}
