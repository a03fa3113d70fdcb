// Reads the head from the provider that is followed, and beside it compares what all of them report, so that a node
// that is frozen or far behind is left, and used again once it has caught up. Comparing never delays the head.

import type { Hex } from "../../../domain/linked-block.js"
import { describeError, IndexerError, isIndexerError } from "../../../platform/errors.js"
import type { Logger } from "../../../platform/logger.js"
import type { RuntimeDeps } from "../../../platform/service.js"
import type { ChainHead, FetchOptions } from "../../../source/block-source.js"
import type { ComparedHead, ProviderHeads } from "../../../source/provider-heads.js"
import { isObject } from "./block-json.js"
import { blockCall } from "./fetch-blocks.js"
import { quantityValue, toHexBytes } from "./hex-text.js"
import type { JsonRpcClient } from "./json-rpc-client.js"
import type { RpcPool } from "./rpc-pool.js"

interface ReadHead {
  readonly height: number
  readonly hash: Hex
  readonly timeMs: number | null
}

/** How often all providers are asked while the followed one moves, and while it does not. */
const compareMs = 15_000
const doubtfulCompareMs = 2_000
/** Where the node reports no final block: deep enough that honest nodes agree. */
const anchorDepth = 64

export class HeadReader {
  readonly #deps: RuntimeDeps & { readonly pool: RpcPool; readonly heads: ProviderHeads }
  readonly #logger: Logger
  readonly #closed = new AbortController()
  #comparing: Promise<void> | undefined
  #comparedAt = Number.NEGATIVE_INFINITY
  #left: ReadonlySet<string> = new Set()

  constructor(deps: RuntimeDeps & { readonly pool: RpcPool; readonly heads: ProviderHeads }) {
    this.#deps = deps
    this.#logger = deps.logger
  }

  async head({ signal, urgent }: FetchOptions): Promise<ChainHead> {
    const { pool, heads } = this.#deps
    const calls = [blockCall("latest"), blockCall("finalized")]
    const { label, latest, finalized } = await pool.attempt(
      async (provider) => {
        const answers = await provider.call(calls, { signal, urgent, errorsAsValues: true })
        if (answers[0]!.error !== null) throw provider.callError("eth_getBlockByNumber", answers[0]!.error)
        const latest = readHead(answers[0]!.value)
        if (latest === undefined) throw noLatest(provider)
        return { label: provider.label, latest, finalized: readHead(answers[1]!.value) }
      },
      { signal, urgent },
    )
    heads.report(label, latest)
    if (finalized !== undefined) heads.notePace(finalized, latest)
    if (this.#isDue(label)) {
      const anchor = finalized?.height ?? Math.max(0, latest.height - anchorDepth)
      this.#comparing = this.#compare(label, anchor).finally(() => {
        this.#comparing = undefined
      })
    }
    const { height, hash } = latest
    return { height, hash, finalizedHeight: finalized?.height ?? null }
  }

  async close(): Promise<void> {
    this.#closed.abort(new Error("the source is closed"))
    await this.#comparing
  }

  #isDue(followed: string): boolean {
    if (this.#comparing !== undefined || this.#closed.signal.aborted) return false
    const { clock, heads } = this.#deps
    const isDoubtful = heads.stillMs(followed) > Math.max(doubtfulCompareMs, heads.paceMs ?? 0)
    const everyMs = isDoubtful ? doubtfulCompareMs : compareMs
    return clock.monotonic() - this.#comparedAt >= everyMs
  }

  async #compare(followed: string, anchor: number): Promise<void> {
    const { clock, pool, heads } = this.#deps
    const { signal } = this.#closed
    this.#comparedAt = clock.monotonic()
    const calls = [blockCall("latest"), blockCall(anchor)]
    try {
      const answers = await pool.askEach(
        async (provider): Promise<ComparedHead> => {
          const [latest, at] = await provider.call(calls, { signal, errorsAsValues: true })
          const head = readHead(latest!.value)
          if (head === undefined) throw noLatest(provider)
          const known = readHead(at!.value)
          if (known !== undefined && provider.label === followed) heads.notePace(known, head)
          return { height: head.height, timeMs: head.timeMs, anchorHash: known?.hash ?? null }
        },
        { signal },
      )
      heads.compare(new Map(answers.map(({ label, value }) => [label, value])), followed)
      this.#announce()
    } catch (error) {
      // The next comparison is soon. Nothing waits for this one, so a bug is only reported.
      if (signal.aborted) return
      this.#logger[isIndexerError(error) ? "debug" : "error"]({ error: describeError(error) }, "heads not compared")
    }
  }

  #announce(): void {
    const { heads } = this.#deps
    const left = heads.left()
    for (const label of left) {
      if (this.#left.has(label)) continue
      const head = heads.of(label)
      const fields = { provider: label, height: head?.height, fault: head?.fault, code: "NODE_FROZEN" }
      this.#logger.warn(fields, "this provider's head is not the chain's: another one is followed")
    }
    for (const label of this.#left) {
      if (!left.has(label)) this.#logger.info({ provider: label }, "the provider has caught up and is used again")
    }
    this.#left = left
  }
}

const noLatest = (provider: JsonRpcClient): IndexerError =>
  new IndexerError("RPC_BAD_RESPONSE", `${provider.label} answered no block for "latest"`)

function readHead(value: unknown): ReadHead | undefined {
  if (!isObject(value)) return undefined
  const height = quantityValue(value["number"])
  const hash = toHexBytes(value["hash"], 32)
  const seconds = quantityValue(value["timestamp"])
  return height >= 0 && hash !== null ? { height, hash, timeMs: seconds > 0 ? seconds * 1_000 : null } : undefined
}
