// What can be wrong with the list of answers to a request. A single call is a list of one.

import type { SeededRandom } from "../seeded-random.js"
import { changeRecipient } from "./hidden-faults.js"
import { blockOf, heightNamedBy, type RpcAnswer, type RpcCall, receiptsOf } from "./rpc-shapes.js"

export interface BatchContext {
  readonly calls: readonly RpcCall[]
  readonly answers: RpcAnswer[]
  readonly random: SeededRandom
  /** Asks a node on another branch that parts below the given height. */
  readonly askFork: (below: number, calls: readonly RpcCall[]) => readonly RpcAnswer[]
}

/** The new answers, or one object that refuses all; undefined where the fault has no meaning. */
type Outcome = RpcAnswer[] | RpcAnswer | undefined
type BatchFault = (context: BatchContext) => Outcome

const batchFaults = {
  batchRefused: ({ calls }) =>
    calls.length < 2
      ? undefined
      : { jsonrpc: "2.0", id: null, error: { code: -32600, message: "batch limit exceeded" } },
  twoForks: ({ calls, answers, random, askFork }) => {
    const heights = calls.map((call) => heightNamedBy(call) ?? 0)
    const eligible = calls.map((_, at) => at).filter((at) => heights[at]! > 0 && answers[at]?.result !== null)
    if (eligible.length < 2) return undefined
    // At least one answer of each branch, or the list would be a consistent other chain.
    const kept = random.below(eligible.length)
    const moved = random.below(eligible.length - 1)
    const other = eligible.filter(
      (_, at) => at !== kept && (at === (moved < kept ? moved : moved + 1) || random.next() < 0.5),
    )
    const lowest = Math.min(...eligible.map((at) => heights[at]!))
    const forked = askFork(
      lowest,
      other.map((at) => calls[at]!),
    )
    const mixed = [...answers]
    other.forEach((at, index) => {
      mixed[at] = { ...forked[index]!, id: answers[at]!.id }
    })
    return JSON.stringify(mixed) === JSON.stringify(answers) ? undefined : mixed
  },
  recipientChangedTwice: ({ calls, answers, random }) => {
    const at = calls.findIndex((call, i) => blockOf(call, answers[i]?.result ?? null) !== undefined)
    const height = at < 0 ? undefined : heightNamedBy(calls[at]!)
    const other = calls.findIndex(
      (call, i) => i !== at && heightNamedBy(call) === height && Array.isArray(answers[i]?.result),
    )
    if (height === undefined || other < 0) return undefined
    const block = blockOf(calls[at]!, answers[at]!.result)!
    const receipts = receiptsOf(calls[other]!, answers[other]!.result)
    return receipts && changeRecipient(block, receipts, random) ? answers : undefined
  },
  idMissing: ({ answers, random }) => {
    delete answers[random.below(answers.length)]?.id
    return answers
  },
  idDuplicated: ({ answers, random }) => {
    if (answers.length < 2) return undefined
    const at = 1 + random.below(answers.length - 1)
    answers[at]!.id = answers[at - 1]!.id
    return answers
  },
  idWrongType: ({ answers, random }) => {
    const answer = answers[random.below(answers.length)]!
    answer.id = typeof answer.id === "number" ? String(answer.id) : { id: answer.id }
    return answers
  },
  batchShuffled: ({ answers, random }) => {
    if (answers.length < 2) return undefined
    // A rotation moves every answer; a random order may be the old one.
    const by = 1 + random.below(answers.length - 1)
    return [...answers.slice(by), ...answers.slice(0, by)]
  },
} satisfies Record<string, BatchFault>

export type BatchFaultName = keyof typeof batchFaults
export const batchFaultNames = Object.keys(batchFaults) as readonly BatchFaultName[]

export const applyBatchFault = (name: BatchFaultName, context: BatchContext): Outcome =>
  (batchFaults[name] as BatchFault)(context)
