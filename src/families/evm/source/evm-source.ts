// An EVM chain behind the BlockSource contract: the pool of providers and the range fetcher. The main thread and every
// thread that fetches has its own; they share only the limits.

import type { BlockRange } from "../../../domain/block-range.js"
import type { Hex } from "../../../domain/linked-block.js"
import { type ErrorCode, IndexerError } from "../../../platform/errors.js"
import type { RpcCounts } from "../../../platform/metrics.js"
import type { ProxySettings } from "../../../platform/rpc-access.js"
import type { RuntimeDeps } from "../../../platform/service.js"
import { BatchSize } from "../../../source/batch-size.js"
import type {
  BlockSource,
  ChainHead,
  ChainIdentity,
  FetchOptions,
  FetchRangeOptions,
  ProviderHashes,
  ProviderHealth,
} from "../../../source/block-source.js"
import { ByteBudget } from "../../../source/byte-budget.js"
import type { CircuitOptions } from "../../../source/circuit-breaker.js"
import { ProviderHeads } from "../../../source/provider-heads.js"
import { providerLabels } from "../../../source/provider-url.js"
import { RpcCounters } from "../../../source/rpc-counters.js"
import { createSharedLimit, type SharedLimitHandle } from "../../../source/shared-limit.js"
import type { SourceOptions } from "../../chain-family.js"
import { evmSettingsOf } from "../evm-settings.js"
import type { EvmBlock } from "../raw/evm-block.js"
import { isObject } from "./block-json.js"
import { BloomReader } from "./bloom.js"
import { describeRules, rulesOf } from "./chain-rules.js"
import { blockCall } from "./fetch-blocks.js"
import { RangeFetcher } from "./fetch-range.js"
import { HeadReader } from "./head-reader.js"
import { toHexBytes } from "./hex-text.js"
import { JsonRpcClient } from "./json-rpc-client.js"
import type { RpcAnswer, RpcCall } from "./json-rpc-reply.js"
import { decimalText, RpcPool } from "./rpc-pool.js"
import { allChecks, type CheckSwitches } from "./verify-block.js"

interface EvmProviderOptions {
  /** http:// or https:// */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Created by createSharedLimit in the main thread and passed to all others. Absent: no limits. */
  readonly limit?: SharedLimitHandle | undefined
}

export interface EvmSourceOptions {
  /** In order of preference. */
  readonly providers: readonly EvmProviderOptions[]
  /** Decimal text. Providers on another chain are not used. */
  readonly expectedChainId?: string | undefined
  readonly proxy?: ProxySettings | undefined
  readonly compressed?: boolean | undefined
  readonly timeoutMs?: number | undefined
  readonly maxResponseBytes?: number | undefined
  readonly rounds?: number | undefined
  readonly backoffMs?: number | undefined
  readonly circuit?: CircuitOptions | undefined
  readonly maxBatchBlocks?: number | undefined
  readonly bytesInFlight?: number | undefined
  readonly prefetch?: number | undefined
  readonly checks?: Partial<CheckSwitches> | undefined
  readonly verify?: "standard" | "roots" | undefined
  readonly refetches?: number | undefined
  readonly refetchDelayMs?: number | undefined
  /** A head older than this many of the chain's own blocks is frozen. 0: never. */
  readonly frozenAfterBlocks?: number | undefined
}

/** The request as a whole failed, which one of its calls may have caused. */
const wholeRequestFailed: readonly ErrorCode[] = [
  "RPC_UNREACHABLE",
  "RPC_TIMEOUT",
  "RPC_ERROR",
  "RPC_BAD_RESPONSE",
  "RPC_RESPONSE_TOO_LARGE",
]

const noHash = `0x${"0".repeat(64)}`

/** A source from a chain's settings. */
export function createChainSource(
  deps: RuntimeDeps,
  { chain, chainId, limits = [], bytesInFlight }: SourceOptions,
): EvmSource {
  return new EvmSource(deps, {
    providers: chain.rpcUrls.map((url, i) => {
      return { url, headers: chain.rpcHeaders?.[new URL(url).host], limit: limits[i] }
    }),
    proxy: chain.proxy,
    compressed: compressedBy(chain.rpcCompression),
    expectedChainId: chainId,
    checks: chain.checks,
    verify: evmSettingsOf(chain).verify,
    maxBatchBlocks: chain.rpcBatchBlocks,
    timeoutMs: chain.rpcTimeoutMs,
    maxResponseBytes: chain.rpcMaxResponseBytes,
    bytesInFlight,
    frozenAfterBlocks: chain.frozenAfterBlocks,
  })
}

/** "auto" is decided by where the node is. */
const compressedBy = (setting: "auto" | "always" | "never" = "auto"): boolean | undefined =>
  setting === "auto" ? undefined : setting === "always"

export class EvmSource implements BlockSource<EvmBlock> {
  readonly #pool: RpcPool
  readonly #heads: HeadReader
  readonly #ranges: RangeFetcher
  readonly #logger: RuntimeDeps["logger"]
  #chainId: string | undefined

  constructor(deps: RuntimeDeps, options: EvmSourceOptions) {
    this.#chainId = options.expectedChainId
    this.#logger = deps.logger
    if (options.providers.length === 0) {
      throw new IndexerError("CONFIG_INVALID", "a chain needs at least one http:// or https:// RPC URL")
    }
    const counters = new RpcCounters()
    const labels = providerLabels(options.providers.map(({ url }) => url))
    const providers = options.providers.map(
      ({ url, headers, limit }, i) =>
        new JsonRpcClient(
          { ...deps, counters },
          {
            ...{ url, headers, proxy: options.proxy, compressed: options.compressed },
            label: labels[i]!,
            limit: limit ?? createSharedLimit(),
            timeoutMs: options.timeoutMs,
            maxResponseBytes: options.maxResponseBytes,
            circuit: options.circuit,
          },
        ),
    )
    const { expectedChainId, rounds, backoffMs } = options
    const heads = new ProviderHeads(deps, { frozenAfterBlocks: options.frozenAfterBlocks ?? 0 })
    this.#pool = new RpcPool(deps, { providers, counters, heads, expectedChainId, rounds, backoffMs })
    this.#heads = new HeadReader({ ...deps, pool: this.#pool, heads })
    this.#ranges = new RangeFetcher(
      {
        ...deps,
        pool: this.#pool,
        budget: new ByteBudget(options.bytesInFlight ?? 32 * 1024 * 1024),
        size: new BatchSize({ maxBatchBlocks: options.maxBatchBlocks ?? 100 }),
        blooms: new BloomReader(),
      },
      {
        checks: { ...allChecks, ...options.checks },
        verify: options.verify ?? "standard",
        prefetch: options.prefetch ?? 4,
        refetches: options.refetches ?? 3,
        refetchDelayMs: options.refetchDelayMs ?? 200,
      },
    )
  }

  async identity({ signal }: FetchOptions): Promise<ChainIdentity> {
    const calls = [{ method: "eth_chainId", params: [] }, blockCall(0)]
    const identity = await this.#pool.attempt(
      async (provider) => {
        const [chain, genesis] = await provider.call(calls, { signal, errorsAsValues: true })
        const chainId = decimalText(chain!.value)
        if (chainId === undefined) throw badAnswer(`${provider.label}: eth_chainId answered no quantity`)
        // When the node has pruned its first block, only the id identifies the chain.
        return { chainId, genesisHash: hashOf(genesis!) ?? noHash }
      },
      { signal },
    )
    this.#chainId ??= identity.chainId
    const unchecked = describeRules(rulesOf(identity.chainId))
    if (unchecked !== undefined) this.#logger.info({ chainId: identity.chainId }, unchecked)
    return identity
  }

  head(options: FetchOptions): Promise<ChainHead> {
    return this.#heads.head(options)
  }

  async *fetchRange(range: BlockRange, options: FetchRangeOptions): AsyncGenerator<readonly EvmBlock[]> {
    if (this.#chainId === undefined) await this.identity(options)
    const chainId = quantityOfDecimal(this.#chainId!)
    yield* this.#ranges.fetchRange(range, { ...options, chainId, rules: rulesOf(this.#chainId!) })
  }

  async blockHash(height: number, { signal, urgent }: FetchOptions): Promise<Hex | null> {
    const [answer] = await this.#pool.call([blockCall(height)], { signal, urgent })
    if (answer!.value === null) return null
    const hash = hashOf(answer!)
    if (hash === null) throw badAnswer(`the answer for block ${height} has no hash`)
    return hash
  }

  async hashesByProvider(
    heights: readonly number[],
    { signal, urgent }: FetchOptions,
  ): Promise<readonly ProviderHashes[]> {
    const calls = heights.map((height) => blockCall(height))
    const options = { signal, urgent }
    const answers = await this.#pool.askEach((provider) => provider.call(calls, options), {
      ...options,
      withoutFrozen: true,
    })
    return answers.map(({ label, value }) => ({ provider: label, hashes: value.map(hashOf) }))
  }

  /**
   * Any calls as one batch, their errors as values. Each provider is asked once: the caller may retry with fewer
   * calls.
   */
  call(calls: readonly RpcCall[], { signal }: FetchOptions): Promise<RpcAnswer[]> {
    return this.#pool.call(calls, { signal, errorsAsValues: true, giveUpAfterRoundOn: wholeRequestFailed })
  }

  providers(): ProviderHealth[] {
    return this.#pool.providers()
  }

  takeCounters(): RpcCounts[] {
    return this.#pool.takeCounters()
  }

  async close(): Promise<void> {
    await this.#heads.close()
    await this.#pool.close()
  }
}

/** The chain's id as transactions name it. */
const quantityOfDecimal = (decimal: string): string => `0x${BigInt(decimal).toString(16)}`

const badAnswer = (message: string): IndexerError => new IndexerError("RPC_BAD_RESPONSE", message)

const hashOf = ({ value }: RpcAnswer): Hex | null => (isObject(value) ? toHexBytes(value["hash"], 32) : null)
