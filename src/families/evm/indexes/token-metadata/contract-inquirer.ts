// Asks a node what contracts call themselves, all at one block: in one multicall where the chain has it, else each
// by itself.

import type { Hex } from "../../../../domain/linked-block.js"
import { IndexerError } from "../../../../platform/errors.js"
import { quantityText } from "../../source/hex-text.js"
import type { RpcAnswer, RpcCall } from "../../source/json-rpc-reply.js"
import {
  askAtBlock,
  bytesOf,
  type ContractNode,
  identityContract,
  type ObservedBlock,
} from "../observing/ask-at-block.js"
import { askByHalves, type NoAnswer } from "../observing/ask-by-halves.js"
import type { AskOptions } from "../observing/question.js"
import { decodeMulticall, encodeMulticall, multicallAddress, type Question } from "./multicall.js"

const kinds = ["name", "symbol", "decimals"] as const
type Kind = (typeof kinds)[number]

/** Bytes as the contract returned them; null where the call failed or returned nothing. */
type Answers = Readonly<Record<Kind, Uint8Array | null>>

export type MetadataOutcome =
  | { readonly contract: Hex; readonly status: "answered"; readonly answers: Answers }
  | { readonly contract: Hex; readonly status: "silent" }
  | NoAnswer

export interface GasLimits {
  /** Of one question. Ends loops, and answers of megabytes: memory gets dearer with its square. */
  readonly callGas: number
  readonly multicallGas: number
}

const defaultGasLimits: GasLimits = { callGas: 3_000_000, multicallGas: 25_000_000 }

const selectors: Readonly<Record<Kind, Hex>> = {
  name: "0x06fdde03",
  symbol: "0x95d89b41",
  decimals: "0x313ce567",
}
/**
 * Failures of multicalls in a row, of any size, after which the node is taken to refuse them all. A single bad
 * contract makes six of 50.
 */
const multicallsGivenUpAfter = 20

export class ContractInquirer {
  readonly #node: ContractNode
  readonly #gas: GasLimits
  /** Undefined until the node said whether the contract is there. */
  #hasMulticall: boolean | undefined
  #failedMulticalls = 0

  constructor(node: ContractNode, gas: GasLimits = defaultGasLimits) {
    this.#node = node
    this.#gas = gas
  }

  /** Outcomes as they come, each contract once. Throws when the node does not answer, or does not have the block. */
  async *ask({ contracts, block, signal }: AskOptions): AsyncGenerator<readonly MetadataOutcome[]> {
    if (contracts.length === 0) return
    await this.#lookForMulticall(block, signal)
    yield* askByHalves({
      contracts,
      ask: (group) => this.#askGroup(group, block, signal),
      askControl: () => this.#askAt(block, [], signal),
      signal,
    })
  }

  async #askGroup(contracts: readonly Hex[], block: ObservedBlock, signal: AbortSignal): Promise<MetadataOutcome[]> {
    const questions = contracts.flatMap((contract) => kinds.map((kind) => ({ contract, data: selectors[kind] })))
    const answers: (Uint8Array | null)[] =
      contracts.length > 1 && this.#usesMulticall()
        ? await this.#askTogether(questions, block, signal)
        : questions.map(() => null)
    // Whoever burns the gas of a multicall makes its neighbours fail: what failed there says nothing yet.
    const open = questions.map((_, i) => i).filter((i) => answers[i] === null)
    const alone = await this.#askEach(
      open.map((i) => questions[i]!),
      block,
      signal,
    )
    open.forEach((place, i) => {
      answers[place] = alone[i]!
    })
    return contracts.map((contract, i) => outcomeOf(contract, answers.slice(i * kinds.length)))
  }

  async #askTogether(
    questions: readonly Question[],
    block: ObservedBlock,
    signal: AbortSignal,
  ): Promise<(Uint8Array | null)[]> {
    // Counted first: it fails by an exception as well as by its answer.
    this.#failedMulticalls++
    const call = this.#ethCall(multicallAddress, encodeMulticall(questions), this.#gas.multicallGas, block)
    const [answer] = await this.#askAt(block, [call], signal)
    const reply = bytesOf(answer!)
    const results = reply === null ? undefined : decodeMulticall(reply, questions.length)
    if (results === undefined)
      throw new IndexerError("RPC_ERROR", `a multicall of ${questions.length} questions gave nothing`)
    this.#failedMulticalls = 0
    return results
  }

  async #askEach(
    questions: readonly Question[],
    block: ObservedBlock,
    signal: AbortSignal,
  ): Promise<(Uint8Array | null)[]> {
    if (questions.length === 0) return []
    const calls = questions.map(({ contract, data }) => this.#ethCall(contract, data, this.#gas.callGas, block))
    return (await this.#askAt(block, calls, signal)).map(bytesOf)
  }

  #askAt(block: ObservedBlock, calls: readonly RpcCall[], signal: AbortSignal): Promise<readonly RpcAnswer[]> {
    const control = this.#ethCall(identityContract, "0x01", this.#gas.callGas, block)
    return askAtBlock(this.#node, { block, control, calls, signal })
  }

  async #lookForMulticall(block: ObservedBlock, signal: AbortSignal): Promise<void> {
    if (this.#hasMulticall !== undefined) return
    const call = { method: "eth_getCode", params: [multicallAddress, quantityText(block.height)] }
    const code = bytesOf((await this.#askAt(block, [call], signal))[0]!)
    // An error is no answer: asked again next time.
    if (code !== null) this.#hasMulticall = code.length > 0
  }

  #usesMulticall(): boolean {
    return this.#hasMulticall === true && this.#failedMulticalls < multicallsGivenUpAfter
  }

  #ethCall(to: Hex, data: Hex, gas: number, block: ObservedBlock): RpcCall {
    return { method: "eth_call", params: [{ to, data, gas: quantityText(gas) }, quantityText(block.height)] }
  }
}

function outcomeOf(contract: Hex, results: readonly (Uint8Array | null)[]): MetadataOutcome {
  const [name = null, symbol = null, decimals = null] = results.map((bytes) => (bytes?.length ? bytes : null))
  if (name === null && symbol === null && decimals === null) return { contract, status: "silent" }
  return { contract, status: "answered", answers: { name, symbol, decimals } }
}
