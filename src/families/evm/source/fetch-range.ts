// Fetches the verified blocks of a range in height order. A batch that cannot be read, mixes forks or fails a check is
// fetched again, from another provider if there is one, a bounded number of times. Then the error names the providers.

import { setMaxListeners } from "node:events"
import type { BlockRange } from "../../../domain/block-range.js"
import type { Clock } from "../../../platform/clock.js"
import { IndexerError, isIndexerError } from "../../../platform/errors.js"
import type { Random } from "../../../platform/random.js"
import type { BatchSize } from "../../../source/batch-size.js"
import type { FetchOptions, FetchRangeOptions } from "../../../source/block-source.js"
import type { ByteBudget } from "../../../source/byte-budget.js"
import { RequestsAhead } from "../../../source/requests-ahead.js"
import type { EvmBlock } from "../raw/evm-block.js"
import type { FetchedBlock } from "./block-json.js"
import type { BloomReader, BloomReport } from "./bloom.js"
import { type ChainRules, checksUnder } from "./chain-rules.js"
import { decodeBlock } from "./decode-block.js"
import { type FetchBlocksOptions, type FetchedBatch, fetchBlocks } from "./fetch-blocks.js"
import { sameHex } from "./hex-text.js"
import { type PairedBlock, pairReceipts } from "./pair-receipts.js"
import { Prefetch } from "./prefetch.js"
import type { RpcPool } from "./rpc-pool.js"
import { type CheckFailure, type CheckSwitches, everyFailure, verifyBlock } from "./verify-block.js"
import { verifyRoots } from "./verify-roots.js"

export interface RangeFetcherDeps {
  readonly clock: Clock
  readonly random: Random
  readonly pool: RpcPool
  readonly budget: ByteBudget
  readonly size: BatchSize
  readonly blooms: BloomReader
}

export interface RangeFetcherOptions {
  readonly checks: CheckSwitches
  readonly verify: "standard" | "roots"
  readonly prefetch: number
  /** How often one batch or block is fetched again before the range fails. */
  readonly refetches: number
  readonly refetchDelayMs: number
}

export interface RangeFetchOptions extends FetchRangeOptions {
  /** The chain's id as a quantity. */
  readonly chainId: string | null
  readonly rules: ChainRules
}

interface FetchPartOptions extends FetchBlocksOptions {
  readonly avoid?: readonly string[] | undefined
}

/** What the blocks of a chain have to pass. */
interface Expectations {
  readonly rules: ChainRules
  readonly checks: CheckSwitches
}

interface CheckedBlock {
  readonly fetched: PairedBlock
  readonly blooms: BloomReport
}

export class RangeFetcher {
  readonly #deps: RangeFetcherDeps
  readonly #options: RangeFetcherOptions
  readonly #ahead: RequestsAhead

  constructor(deps: RangeFetcherDeps, options: RangeFetcherOptions) {
    this.#deps = deps
    this.#options = options
    // Twice as many as can be in flight: some wait while an earlier one is late.
    this.#ahead = new RequestsAhead({ first: options.prefetch, most: 2 * options.prefetch })
  }

  async *fetchRange(range: BlockRange, options: RangeFetchOptions): AsyncGenerator<readonly EvmBlock[]> {
    const { budget, size } = this.#deps
    const { urgent, onParent, finalTo } = options
    options.signal.throwIfAborted()
    // Ends every request in flight when the consumer leaves, for any reason.
    const ours = new AbortController()
    const { signal } = ours
    setMaxListeners(0, signal)
    const onAbort = () => ours.abort(options.signal.reason)
    options.signal.addEventListener("abort", onAbort, { once: true })
    const { rules } = options
    const part = { signal, urgent, finalTo, rules, checks: checksUnder(rules, this.#options.checks) }
    const prefetch = new Prefetch({
      range,
      maxRequests: this.#options.prefetch,
      ahead: this.#ahead,
      budget,
      size,
      fetch: ({ from, to }) =>
        this.#fetch({ from, to }, { ...part, withParent: onParent !== undefined && from === range.from }),
    })
    signal.addEventListener("abort", () => prefetch.stop(), { once: true })
    try {
      const { chainId } = options
      let previous: string | undefined
      for (;;) {
        const batches = await prefetch.take()
        signal.throwIfAborted()
        if (batches === undefined) return
        if (previous === undefined) onParent?.(batches[0]!.parent())
        for (const batch of batches) {
          for await (const { fetched, blooms } of this.#settle(batch, previous, part)) {
            const block = decodeBlock(fetched, blooms, { chainId })
            previous = block.hash
            yield [block]
            signal.throwIfAborted()
          }
        }
      }
    } finally {
      options.signal.removeEventListener("abort", onAbort)
      ours.abort(new Error("the range is no longer wanted"))
      prefetch.stop()
    }
  }

  /** One request, or halves of it when the answer is too large or too slow. */
  async #fetch(range: BlockRange, options: FetchPartOptions): Promise<FetchedBatch[]> {
    const { pool, size } = this.#deps
    const blocks = range.to - range.from
    try {
      const batch = await pool.attempt((provider) => fetchBlocks(provider, range, options), {
        ...options,
        from: range.from,
        unread: true,
        giveUpOn: blocks > 1 ? ["RPC_RESPONSE_TOO_LARGE"] : [],
        giveUpAfterRoundOn: blocks > 1 ? ["RPC_TIMEOUT"] : [],
      })
      size.succeeded(blocks, batch.bytes)
      return [batch]
    } catch (error) {
      const tooMuch = isIndexerError(error, "RPC_RESPONSE_TOO_LARGE") || isIndexerError(error, "RPC_TIMEOUT")
      if (!tooMuch || blocks === 1) throw error
      size.failed(blocks)
      const middle = range.from + Math.ceil(blocks / 2)
      const first = await this.#fetch({ from: range.from, to: middle }, options)
      const rest = { ...options, withParent: false }
      return first.concat(await this.#fetch({ from: middle, to: range.to }, rest))
    }
  }

  /**
   * Reads and checks a batch block by block. Each is parsed only when it is read and dropped when it is consumed.
   * From a block that fails a check or does not follow the block before it, the rest is fetched again.
   */
  async *#settle(
    first: FetchedBatch,
    previous: string | undefined,
    options: FetchBlocksOptions & Expectations,
  ): AsyncGenerator<CheckedBlock> {
    const { signal } = options
    const asked: string[] = []
    let batches: readonly FetchedBatch[] = [first]
    let before = previous
    let height = first.range.from
    let attempt = 0
    while (height < first.range.to) {
      let problem: IndexerError
      try {
        const checked = await this.#check(this.#read(batches, height), options)
        const broken = this.#options.checks.parent ? brokenLink(before, checked.fetched) : undefined
        if (broken === undefined) {
          before = checked.fetched.block.hash as string
          yield checked
          height++
          continue
        }
        problem = broken
      } catch (error) {
        if (!isIndexerError(error) || error.action !== "retry" || signal.aborted) throw error
        problem = error
      }
      if (attempt >= this.#options.refetches) throw problem
      for (const batch of batches) asked.push(batch.provider.label)
      // At the tip the chain moves, so a broken link is not counted as the provider's failure.
      if (problem.code === "PARENT_MISMATCH") for (const batch of batches) batch.provider.noteError(problem)
      await this.#pause(attempt++, signal)
      batches = await this.#fetch({ from: height, to: first.range.to }, { ...options, avoid: asked })
    }
  }

  #read(batches: readonly FetchedBatch[], height: number): FetchedBlock {
    const batch = batches.find(({ range }) => range.from <= height && height < range.to)!
    try {
      const block = batch.block(height)
      // Only at the end: a truncated reply is no success.
      if (height === batch.range.to - 1) batch.provider.breaker.succeed()
      return block
    } catch (error) {
      if (isIndexerError(error)) this.#deps.pool.reportFailure(batch.provider, error)
      throw error
    }
  }

  async #check(first: FetchedBlock, options: FetchOptions & Expectations): Promise<CheckedBlock> {
    const { rules, checks } = options
    const withRoots = this.#options.verify === "roots"
    let fetched = prepare(first, rules)
    const seen: { readonly provider: string; readonly hash: unknown; readonly failed: string }[] = []
    for (let attempt = 0; ; attempt++) {
      const blooms = this.#deps.blooms.read(fetched.receipts, fetched.unrooted)
      const failure = verifyBlock(fetched, blooms, checks) ?? (withRoots ? verifyRoots(fetched, rules) : undefined)
      if (failure === undefined) return { fetched, blooms }
      const failures = everyFailure(fetched, blooms, checks)
      const wrongRoot = withRoots && failure.check !== "shape" ? verifyRoots(fetched, rules) : undefined
      if (wrongRoot !== undefined) failures.push(wrongRoot)
      const failed = failures.map(({ check }) => check).join()
      seen.push({ provider: fetched.provider, hash: fetched.block.hash, failed })
      const error = verifyError(fetched, failure)
      const provider = this.#deps.pool.byLabel(fetched.provider)
      provider?.noteError(error)
      if (attempt >= this.#options.refetches) {
        const providers = new Set(seen.map((each) => each.provider))
        const all = this.#deps.pool.usable().every((label) => providers.has(label))
        const agree = seen.every((each) => each.hash === first.block.hash && each.failed === failed)
        throw all && agree && failure.check !== "shape" ? unsupportedError(fetched, failures, providers) : error
      }
      await this.#pause(attempt, options.signal)
      const range = { from: fetched.height, to: fetched.height + 1 }
      const avoid = seen.map((each) => each.provider)
      const [again] = await this.#fetch(range, { ...options, avoid })
      fetched = prepare(this.#read([again!], fetched.height), rules)
    }
  }

  async #pause(attempt: number, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#deps
    await clock.sleep(this.#options.refetchDelayMs * 2 ** attempt * (0.5 + random.next()), signal)
    signal.throwIfAborted()
  }
}

function prepare(fetched: FetchedBlock, { unrooted }: ChainRules): PairedBlock {
  const paired = pairReceipts(fetched)
  return unrooted === undefined ? paired : { ...paired, unrooted: unrooted(paired.block) }
}

function brokenLink(before: string | undefined, fetched: PairedBlock): IndexerError | undefined {
  const { height, block, provider } = fetched
  if (before === undefined || sameHex(block.parentHash, before)) return undefined
  return new IndexerError(
    "PARENT_MISMATCH",
    `block ${height} from ${provider} has parent ${block.parentHash}, but block ${height - 1} is ${before}: ` +
      "the chain moved between two answers",
    { height, data: { expected: before, got: block.parentHash, provider } },
  )
}

const describe = ({ check, what, expected, got }: CheckFailure): string =>
  `"${check}": ${what} should be ${expected}, is ${got}`

/** What an operator needs: the header, or the transaction and its receipt, as the node sent them, and their place. */
function placeOf({ block, receipts, height, provider }: PairedBlock, { transaction: at }: CheckFailure) {
  const { transactions, ...header } = block
  const sent = at === undefined ? header : { transaction: transactions[at], receipt: receipts[at] }
  const id = at === undefined ? undefined : transactions[at]?.hash
  return {
    ...(id === undefined ? {} : { transactionId: id }),
    rawData: JSON.stringify(sent),
    rawRef: `block ${height} of ${provider}`,
  }
}

function verifyError(fetched: PairedBlock, failure: CheckFailure): IndexerError {
  const { height, provider } = fetched
  return new IndexerError(
    "VERIFY_FAILED",
    `block ${height} failed the check ${describe(failure)} (from ${provider})`,
    { height, data: { ...failure, provider, ...placeOf(fetched, failure) } },
  )
}

/** Names every check that fails, so that one change of the config is enough. */
function unsupportedError(
  fetched: PairedBlock,
  failures: readonly CheckFailure[],
  providers: ReadonlySet<string>,
): IndexerError {
  const { height } = fetched
  const first = failures[0]!
  const checks = failures.filter(({ check }) => check !== "roots").map(({ check }) => `${check}: false`)
  const lines = checks.length > 0 ? [`checks: { ${checks.join(", ")} }`] : []
  if (failures.some(({ check }) => check === "roots")) lines.push('verify: "standard"')
  const config = lines.join(", ")
  return new IndexerError(
    "VERIFY_UNSUPPORTED",
    `block ${height} failed ${failures.length === 1 ? "the check" : "the checks"} ` +
      `${failures.map(describe).join("; ")}; all providers agree (${[...providers].join(", ")}). ` +
      `If this chain is known to differ here, set in its config: ${config}`,
    { height, data: { ...first, failed: failures.map(({ check }) => check), config, ...placeOf(fetched, first) } },
  )
}
