// Whether a provider has eth_getBlockReceipts. Any refusal that repeats means that it has not, whatever it says; some
// gateways drop a method from their list with a status, a code of their own, or null. It is tried again after a while.

import type { Clock } from "../../../platform/clock.js"

/** "Method not found" (JSON-RPC) and "method not supported" (EIP-1474): no repetition is needed. */
const missingCodes = new Set([-32601, -32004])
const refusalsInARow = 3
const tryAgainMs = 600_000

export class ReceiptsMethod {
  readonly #clock: Pick<Clock, "monotonic">
  #refusals = 0
  #missingSince: number | undefined

  constructor(deps: { readonly clock: Pick<Clock, "monotonic"> }) {
    this.#clock = deps.clock
  }

  /** Then each transaction's receipt is asked for instead. */
  get isMissing(): boolean {
    if (this.#missingSince === undefined) return false
    if (this.#clock.monotonic() - this.#missingSince < tryAgainMs) return true
    // One more refusal is enough now.
    this.#missingSince = undefined
    this.#refusals = refusalsInARow - 1
    return false
  }

  answered(): void {
    this.#refusals = 0
  }

  /** Null for a block with transactions counts as a refusal. Returns whether the method counts as missing from now on. */
  refused(code: number | null): boolean {
    this.#refusals = missingCodes.has(code ?? 0) ? refusalsInARow : this.#refusals + 1
    if (this.#refusals < refusalsInARow) return false
    this.#missingSince ??= this.#clock.monotonic()
    return true
  }
}
