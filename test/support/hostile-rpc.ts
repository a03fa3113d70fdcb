// A node that misbehaves on purpose, in front of an honest one. What it does to a request follows from the seed, the
// request and how often it was made, so a run can be repeated. It counts every fault that really was served.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Chain } from "../chain/synthetic-chain.js"
import { answerFaultNames, applyAnswerFault } from "./hostile/answer-faults.js"
import { applyBatchFault, type BatchContext, type BatchFaultName, batchFaultNames } from "./hostile/batch-faults.js"
import { type Fate, FateBook } from "./hostile/fate.js"
import { type FaultName, type FaultRates, faultNames } from "./hostile/fault-catalog.js"
import { HonestUpstream } from "./hostile/honest-upstream.js"
import type { RpcAnswer, RpcCall } from "./hostile/rpc-shapes.js"
import { applyWireFault, wireFaultNames } from "./hostile/wire-faults.js"
import { type Listening, listen } from "./listen.js"

export {
  type FaultKind,
  type FaultName,
  type FaultRates,
  faultKinds,
  faultNames,
  lies,
  noise,
  noticedOnlyByRoots,
  outages,
} from "./hostile/fault-catalog.js"

export interface HostileRpcOptions {
  readonly seed: number
  readonly faults?: FaultRates
  /** What the honest node answers for. */
  readonly chain: Chain
  readonly hugeBodyBytes?: number
  /** How long a slow drip takes in all. */
  readonly dripMs?: number
}

export interface HostileRpc extends Listening {
  /** How often each fault was served. */
  readonly counts: Readonly<Record<FaultName, number>>
  /** How many requests came in all. */
  requests(): number
  /** How many of them were answered with a fault, or with several. */
  hostile(): number
  setFaults(faults: FaultRates): void
}

export async function startHostileRpc(options: HostileRpcOptions): Promise<HostileRpc> {
  const proxy = new HostileProxy(options)
  const server = createServer((request, response) => {
    proxy.serve(request, response).catch((error: unknown) => {
      // A client that left is ordinary here; anything else is a bug of this server.
      if (!response.destroyed) throw error
    })
  })
  return {
    ...(await listen(server)),
    counts: proxy.counts,
    requests: () => proxy.requests,
    hostile: () => proxy.hostile,
    setFaults: (faults) => {
      proxy.faults = faults
    },
  }
}

interface Request {
  readonly calls: readonly RpcCall[]
  readonly honest: Buffer
  readonly fate: Fate
  /** Filled with the faults that were served. */
  readonly served: FaultName[]
}

class HostileProxy {
  readonly counts = Object.fromEntries(faultNames.map((name) => [name, 0])) as Record<FaultName, number>
  faults: FaultRates
  requests = 0
  hostile = 0
  readonly #upstream: HonestUpstream
  readonly #options: HostileRpcOptions
  readonly #fates: FateBook

  constructor(options: HostileRpcOptions) {
    this.#upstream = new HonestUpstream(options.chain)
    this.#options = options
    this.#fates = new FateBook(options.seed)
    this.faults = options.faults ?? {}
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests++
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const honest = this.#upstream.answer(text)
    const calls = callsIn(text)
    const fate = this.#fates.next(`request ${calls.map(subjectOf).join()}`)
    const [wireFault] = fate.strikes(wireFaultNames, this.faults)
    if (wireFault === undefined) {
      const served: FaultName[] = []
      const body = this.#distort({ calls, honest, fate, served })
      if (served.length > 0) this.hostile++
      for (const name of served) this.counts[name]++
      response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body)
      return
    }
    // A broken answer is otherwise honest: what nobody can read would be counted as served.
    this.hostile++
    this.counts[wireFault]++
    const { hugeBodyBytes = 200_000_000, dripMs = 2_000 } = this.#options
    const random = fate.random(`${wireFault} details`)
    await applyWireFault(wireFault, { response, body: honest, random, hugeBodyBytes, dripMs })
  }

  /** The honest bytes themselves where no fault strikes: most answers are never parsed. */
  #distort(request: Request): Buffer {
    const { calls, honest, fate, served } = request
    const batchFaults = fate.strikes(batchFaultNames, this.faults)
    const struck = calls.map((call) => {
      const own = this.#fates.next(`call ${subjectOf(call)}`)
      return { fate: own, names: own.strikes(answerFaultNames, this.faults) }
    })
    if (batchFaults.length === 0 && struck.every(({ names }) => names.length === 0)) return honest
    const parsed = JSON.parse(honest.toString()) as RpcAnswer | RpcAnswer[]
    const list = Array.isArray(parsed) ? parsed : [parsed]
    const byId = new Map(list.map((answer) => [answer.id, answer]))
    let answers = calls.map((call) => byId.get(call.id)).filter((answer) => answer !== undefined)
    // One refusal for all calls, or ids used twice: there is no answer of its own for each call.
    if (byId.size !== calls.length || answers.length !== calls.length) return honest
    for (const name of batchFaults.filter(mixesBranches)) {
      answers = this.#distortBatch(name, answers, request) as RpcAnswer[]
    }
    // After the branches are mixed, so that no lie is replaced; before ids and order change, while each has its call.
    for (const [at, answer] of answers.entries()) served.push(...this.#distortAnswer(calls[at]!, answer, struck[at]!))
    for (const name of batchFaults.filter((other) => !mixesBranches(other))) {
      const outcome = this.#distortBatch(name, answers, request)
      if (!Array.isArray(outcome)) return Buffer.from(JSON.stringify(outcome))
      answers = outcome
    }
    return Buffer.from(JSON.stringify(Array.isArray(parsed) ? answers : answers[0]))
  }

  #distortBatch(
    name: BatchFaultName,
    answers: RpcAnswer[],
    { calls, fate, served }: Request,
  ): RpcAnswer[] | RpcAnswer {
    const askFork: BatchContext["askFork"] = (below, asked) => this.#upstream.askFork(below, asked)
    const outcome = applyBatchFault(name, { calls, answers, random: fate.random(`${name} details`), askFork })
    if (outcome === undefined) return answers
    served.push(name)
    return outcome
  }

  /** The faults that it gave the answer. */
  #distortAnswer(
    call: RpcCall,
    answer: RpcAnswer,
    struck: { readonly fate: Fate; readonly names: readonly (typeof answerFaultNames)[number][] },
  ): FaultName[] {
    const served: FaultName[] = []
    for (const name of struck.names) {
      if (answer.error !== undefined) break
      const outcome = applyAnswerFault(name, {
        call,
        result: structuredClone(answer.result),
        random: struck.fate.random(`${name} details`),
        ask: (asked) => this.#upstream.ask(asked),
      })
      if (outcome === undefined) continue
      served.push(name)
      delete answer.result
      Object.assign(answer, outcome)
    }
    return served
  }
}

const mixesBranches = (name: BatchFaultName): boolean => name === "twoForks"

/** None where the text is no request: the honest node says so itself. */
function callsIn(text: string): readonly RpcCall[] {
  try {
    const parsed = JSON.parse(text) as RpcCall | RpcCall[]
    return Array.isArray(parsed) ? parsed : [parsed]
  } catch {
    return []
  }
}

const subjectOf = (call: RpcCall): string => `${call.method}${JSON.stringify(call.params ?? [])}`
