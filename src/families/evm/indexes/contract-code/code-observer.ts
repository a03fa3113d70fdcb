// Asks the node for the code of contracts that were deployed, some at a time, and keeps its hash and, once, the code. Any number of
// processes do it at once. A contract that breaks its batch costs itself an attempt, an outage of the node costs nobody one.

import { keccak_256 } from "@noble/hashes/sha3"
import type { Hex } from "../../../../domain/linked-block.js"
import { isIndexerError } from "../../../../platform/errors.js"
import { LoopingService } from "../../../../platform/looping-service.js"
import { askAtBlock, identityContract, type ObservedBlock, quantity } from "../observing/ask-at-block.js"
import type { NodeAnswer } from "../observing/contract-node.js"
import type { ObserverOptions } from "../observing/observer-options.js"
import {
  type CodeClaim,
  type CodeOutcome,
  claimContracts,
  giveBackContracts,
  queueDeployments,
  settleCode,
} from "./code-queue.js"

const deferredMs = 60_000
/** Chains allow 24 kB, some a few times as much; what is longer is no code. */
const maxCodeBytes = 1 << 20

export class CodeObserver extends LoopingService {
  private readonly options: ObserverOptions
  private readonly batchSize: number
  private readonly claimMs: number

  constructor(options: ObserverOptions) {
    super({ name: "code-observer", maxBackoffMs: 60_000, ...options })
    this.options = options
    this.batchSize = options.batchSize ?? 50
    this.claimMs = options.claimMs ?? 300_000
  }

  async runOnce(signal: AbortSignal): Promise<number | undefined> {
    const { database } = this.options
    const moreToQueue = await queueDeployments(database)
    const claim = await claimContracts(database, { limit: this.batchSize, claimMs: this.claimMs })
    if (claim === undefined) return moreToQueue ? 0 : undefined
    const open = new Set(claim.contracts.keys())
    try {
      const block = await this.options.observedBlock(signal)
      if (block === undefined) return undefined
      await this.defer(
        claim,
        open,
        [...open].filter((address) => claim.contracts.get(address)! > block.height),
      )
      await this.observe(claim, { block, open, signal })
    } finally {
      // What has no outcome by now is due again at once: whatever went wrong was not its fault.
      await giveBackContracts(database, { claim, contracts: [...open], waitMs: 0 })
    }
    return moreToQueue || claim.contracts.size === this.batchSize ? 0 : undefined
  }

  /** Takes every contract that has its outcome, or its new date, out of `open`. Halves a request down to the one that breaks it. */
  private async observe(
    claim: CodeClaim,
    { block, open, signal }: { block: ObservedBlock; open: Set<Hex>; signal: AbortSignal },
  ): Promise<void> {
    const groups: (readonly Hex[])[] = open.size > 0 ? [[...open]] : []
    for (let group = groups.pop(); group; group = groups.pop()) {
      let outcomes: readonly CodeOutcome[]
      try {
        outcomes = await this.ask(group, { block, signal })
      } catch (error) {
        if (signal.aborted || !isIndexerError(error)) throw error
        // A node that answers nothing at all, or stands elsewhere, is nobody's fault here.
        if (error.code === "RPC_BLOCK_MISSING") throw error
        const middle = group.length >> 1
        if (group.length > 1) {
          groups.push(group.slice(middle), group.slice(0, middle))
          continue
        }
        if (error.code === "RPC_RATE_LIMITED") {
          await this.defer(claim, open, group)
          continue
        }
        // Alone and still no answer: its own fault only if the node answers without it.
        await this.ask([], { block, signal })
        outcomes = [{ address: group[0]!, code: null, hash: null }]
      }
      // The chain went back meanwhile: asked again, at a block that is there.
      if (!(await settleCode(this.options.database, { claim, block, outcomes }))) return
      for (const { address } of outcomes) open.delete(address)
    }
  }

  private async ask(
    addresses: readonly Hex[],
    { block, signal }: { block: ObservedBlock; signal: AbortSignal },
  ): Promise<readonly CodeOutcome[]> {
    const codeOf = (address: Hex) => ({
      method: "eth_getCode",
      params: [address, quantity(block.height)],
    })
    const answers = await askAtBlock(this.options.node, {
      ...{ block, control: codeOf(identityContract), calls: addresses.map(codeOf), signal },
    })
    return addresses.map((address, i) => outcomeOf(address, answers[i]!))
  }

  private async defer(claim: CodeClaim, open: Set<Hex>, contracts: readonly Hex[]): Promise<void> {
    await giveBackContracts(this.options.database, { claim, contracts, waitMs: deferredMs })
    for (const contract of contracts) open.delete(contract)
  }
}

function outcomeOf(address: Hex, { value, error }: NodeAnswer): CodeOutcome {
  const failed = { address, code: null, hash: null }
  if (error !== null || typeof value !== "string" || !value.startsWith("0x")) return failed
  if (value.length > 2 + 2 * maxCodeBytes) return failed
  const code = Buffer.from(value.slice(2), "hex")
  // The decoder stops at the first character that is no digit, without a word.
  if (code.length * 2 !== value.length - 2) return failed
  return { address, code, hash: code.length === 0 ? null : keccak_256(code) }
}
