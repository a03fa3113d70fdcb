// Several providers as one: uses the first healthy one, the next when it fails, and the first again once it recovers.
// Gives up after a bounded number of rounds with an error that names every provider and its last error. Rounds in which a
// provider asks to wait do not count, up to a time in which none of them answers anything.

import type { Clock } from "../../../platform/clock.js"
import { type ErrorCode, IndexerError, isIndexerError } from "../../../platform/errors.js"
import type { Logger } from "../../../platform/logger.js"
import type { RpcCounts } from "../../../platform/metrics.js"
import type { Random } from "../../../platform/random.js"
import type { RuntimeDeps } from "../../../platform/service.js"
import type { FetchOptions, ProviderHealth } from "../../../source/block-source.js"
import { ProviderHeads } from "../../../source/provider-heads.js"
import type { RpcCounters } from "../../../source/rpc-counters.js"
import type { JsonRpcClient } from "./json-rpc-client.js"
import type { RpcAnswer, RpcCall } from "./json-rpc-reply.js"

export interface RpcPoolOptions {
  readonly providers: readonly JsonRpcClient[]
  readonly counters: RpcCounters
  /** Which providers are left because their heads are not the chain's. */
  readonly heads?: ProviderHeads | undefined
  /** Decimal text; a provider on another chain is never used. */
  readonly expectedChainId?: string | undefined
  /** How often all providers are tried before a call gives up. */
  readonly rounds?: number | undefined
  readonly backoffMs?: number | undefined
  /** For how long a call waits for providers that limit their rate, while they answer nothing at all. */
  readonly limitedMs?: number | undefined
}

export interface AttemptOptions extends FetchOptions {
  /** Labels of providers to ask last, least recent first: their answers are in doubt. */
  readonly avoid?: readonly string[] | undefined
  /** The lowest block that is wanted: providers that have pruned it are asked last. */
  readonly from?: number | undefined
  /** Thrown at once instead of being retried: the caller retries otherwise, such as with a smaller request. */
  readonly giveUpOn?: readonly ErrorCode[] | undefined
  /** The same, after each provider was asked once. */
  readonly giveUpAfterRoundOn?: readonly ErrorCode[] | undefined
  /** The reply is not parsed yet: the caller reports the result to the provider's breaker when it is. */
  readonly unread?: boolean | undefined
}

interface ChainCheck {
  verified: boolean
  mismatch: string | null
}

const defaultLimitedMs = 120_000

export class RpcPool {
  readonly #clock: Clock
  readonly #random: Random
  readonly #logger: Logger
  readonly #providers: readonly JsonRpcClient[]
  readonly #counters: RpcCounters
  readonly #heads: ProviderHeads
  readonly #expectedChainId: string | undefined
  readonly #rounds: number
  readonly #backoffMs: number
  readonly #limitedMs: number
  /** When a provider last answered anything that was asked of it. */
  #answeredAt = Number.NEGATIVE_INFINITY
  readonly #chain = new Map<JsonRpcClient, ChainCheck>()

  constructor(deps: RuntimeDeps, options: RpcPoolOptions) {
    this.#clock = deps.clock
    this.#random = deps.random
    this.#logger = deps.logger
    this.#providers = options.providers
    this.#counters = options.counters
    this.#heads = options.heads ?? new ProviderHeads(deps, { frozenAfterBlocks: 0 })
    this.#expectedChainId = options.expectedChainId
    this.#rounds = options.rounds ?? 3
    this.#backoffMs = options.backoffMs ?? 250
    this.#limitedMs = options.limitedMs ?? defaultLimitedMs
    for (const provider of options.providers) this.#chain.set(provider, { verified: false, mismatch: null })
  }

  /** Runs the work with one provider after another until it succeeds. */
  async attempt<T>(work: (provider: JsonRpcClient) => Promise<T>, options: AttemptOptions): Promise<T> {
    const { signal, avoid = [], from, giveUpOn, giveUpAfterRoundOn } = options
    let last: IndexerError | undefined
    const startedAt = this.#clock.monotonic()
    for (let round = 0, waits = 0; round < this.#rounds; ) {
      if (round + waits > 0) await this.#pause(round + waits, signal)
      for (const provider of this.#inOrder(avoid, from)) {
        const tried = await this.#tryOne(provider, work, options)
        if (tried !== undefined && "value" in tried) return tried.value
        last = tried?.error ?? last
        if (tried !== undefined && giveUpOn?.includes(tried.error.code)) throw tried.error
      }
      if (last !== undefined && giveUpAfterRoundOn?.includes(last.code)) throw last
      const isLimited = this.#providers.some(({ pausedMs }) => pausedMs > 0)
      if (isLimited && this.#clock.monotonic() - Math.max(startedAt, this.#answeredAt) < this.#limitedMs) waits++
      else round++
    }
    throw this.#noProvider(last)
  }

  /**
   * Asks every provider that can be asked, each by itself and at the same time. Those that fail are left out; so are
   * frozen ones on request, as long as another one answers.
   */
  async askEach<T>(
    work: (provider: JsonRpcClient) => Promise<T>,
    options: FetchOptions & { readonly withoutFrozen?: boolean },
  ): Promise<{ readonly label: string; readonly value: T }[]> {
    const ask = async (providers: readonly JsonRpcClient[]) => {
      const tried = await Promise.all(providers.map((provider) => this.#tryOne(provider, work, options)))
      return tried.flatMap((one, i) =>
        one !== undefined && "value" in one ? [{ label: providers[i]!.label, value: one.value }] : [],
      )
    }
    const frozen = options.withoutFrozen ? this.#heads.frozen() : new Set()
    const answers = await ask(this.#providers.filter(({ label }) => !frozen.has(label)))
    return answers.length > 0 ? answers : ask(this.#providers.filter(({ label }) => frozen.has(label)))
  }

  /** The result, or the provider's error, which is then reported; undefined when it cannot be asked now. */
  async #tryOne<T>(
    provider: JsonRpcClient,
    work: (provider: JsonRpcClient) => Promise<T>,
    { signal, urgent, unread = false }: AttemptOptions,
  ): Promise<{ readonly value: T } | { readonly error: IndexerError } | undefined> {
    signal.throwIfAborted()
    if (provider.pausedMs > 0 || !provider.breaker.tryEnter()) return undefined
    try {
      await this.#checkChain(provider, { signal, urgent })
      const value = await work(provider)
      this.#answeredAt = this.#clock.monotonic()
      if (unread) provider.breaker.abandon()
      else provider.breaker.succeed()
      return { value }
    } catch (error) {
      if (!isIndexerError(error) || signal.aborted) {
        provider.breaker.abandon()
        throw error
      }
      this.reportFailure(provider, error)
      return { error }
    }
  }

  /** Calls as one batch, answers in order; an error of a call counts as the provider's failure. */
  call(
    calls: readonly RpcCall[],
    options: AttemptOptions & { readonly errorsAsValues?: boolean },
  ): Promise<RpcAnswer[]> {
    const { signal, urgent, errorsAsValues = false } = options
    return this.attempt((provider) => provider.call(calls, { signal, urgent, errorsAsValues }), options)
  }

  /** For errors found after the request succeeded, when its reply is parsed. */
  reportFailure(provider: JsonRpcClient, error: IndexerError): void {
    const wasClosed = provider.breaker.state() === "closed"
    provider.noteError(error)
    // A provider that asks for a pause works: its circuit stays closed. An answer that is too large is a matter of the
    // request.
    if (error.code === "RPC_RATE_LIMITED" || error.code === "RPC_RESPONSE_TOO_LARGE") provider.breaker.abandon()
    else if (error.code === "CHAIN_MISMATCH") provider.breaker.trip()
    else provider.breaker.fail()
    const state = provider.breaker.state()
    if (state !== "closed") this.#chain.get(provider)!.verified = false
    this.#logger[wasClosed && state === "open" ? "warn" : "debug"](
      { provider: provider.label, code: error.code, state, error: provider.lastError },
      state === "open" ? "provider set aside after repeated failures" : "provider failed",
    )
  }

  providers(): ProviderHealth[] {
    return this.#providers.map((provider) => ({
      label: provider.label,
      state: provider.breaker.state(),
      lastError: provider.lastError,
      lastErrorAtMs: provider.lastErrorAtMs,
      mismatch: this.#chain.get(provider)!.mismatch,
      head: this.#heads.of(provider.label),
    }))
  }

  takeCounters(): RpcCounts[] {
    return this.#counters.take()
  }

  async close(): Promise<void> {
    await Promise.all(this.#providers.map((provider) => provider.close()))
  }

  /** In order of preference; those that are left, lack the blocks or are to be avoided come last. */
  #inOrder(avoid: readonly string[], from: number | undefined): readonly JsonRpcClient[] {
    if (this.#providers.length === 1) return this.#providers
    const left = this.#heads.left()
    const lacks = ({ pruned }: JsonRpcClient) => from !== undefined && pruned.includes(from)
    // An answer in doubt counts for more than a missing one, and that for more than an old head.
    const rank = (provider: JsonRpcClient) =>
      4 * (avoid.lastIndexOf(provider.label) + 1) + (lacks(provider) ? 2 : 0) + (left.has(provider.label) ? 1 : 0)
    return [...this.#providers].sort((a, b) => rank(a) - rank(b))
  }

  /** Providers that could be asked now. */
  usable(): string[] {
    return this.providers()
      .filter(({ state, mismatch }) => state === "closed" && mismatch === null)
      .map(({ label }) => label)
  }

  byLabel(label: string): JsonRpcClient | undefined {
    return this.#providers.find((provider) => provider.label === label)
  }

  /** Doubles, with jitter, and lasts until the first pause of a provider ends, up to 10 s. */
  async #pause(round: number, signal: AbortSignal): Promise<void> {
    const backoffMs = this.#backoffMs * 2 ** Math.min(round - 1, 5) * (0.5 + this.#random.next())
    const soonest = Math.min(...this.#providers.map(({ pausedMs }) => pausedMs))
    await this.#clock.sleep(Math.min(Math.max(backoffMs, soonest + 1), 10_000), signal)
  }

  async #checkChain(provider: JsonRpcClient, options: FetchOptions): Promise<void> {
    const check = this.#chain.get(provider)!
    if (this.#expectedChainId === undefined || check.verified) return
    const [answer] = await provider.call([{ method: "eth_chainId", params: [] }], options)
    const chainId = decimalText(answer!.value)
    if (chainId === undefined) {
      throw new IndexerError("RPC_BAD_RESPONSE", `${provider.label}: eth_chainId answered no quantity`)
    }
    if (chainId !== this.#expectedChainId) {
      check.mismatch = chainId
      throw new IndexerError(
        "CHAIN_MISMATCH",
        `${provider.label} is on chain ${chainId}, expected ${this.#expectedChainId}; it is not used`,
        { data: { provider: provider.label, expected: this.#expectedChainId, got: chainId } },
      )
    }
    check.verified = true
    check.mismatch = null
  }

  #noProvider(last: IndexerError | undefined): IndexerError {
    const checks = [...this.#chain.values()]
    const code = checks.every((check) => check.mismatch !== null)
      ? "CHAIN_MISMATCH"
      : this.#providers.length === 1 && last !== undefined && last.action === "retry"
        ? last.code
        : "RPC_NO_PROVIDER"
    const said = this.#providers.map((provider) => `${provider.label} (${provider.lastError ?? "not asked"})`)
    return new IndexerError(code, `no provider could answer: ${said.join("; ")}`, {
      cause: last,
      data: { providers: this.providers() },
    })
  }
}

/** A quantity as decimal text, undefined when it is none. */
export function decimalText(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return String(value)
  if (typeof value !== "string" || !/^0x[0-9a-f]{1,64}$/i.test(value)) return undefined
  return BigInt(value).toString()
}
