// What can be wrong with the answer to one call. Each fault gets the true answer and gives the false one, or
// undefined where it has no meaning for that call.

import { quantity } from "../../chain/hex.js"
import type { SeededRandom } from "../seeded-random.js"
import { type BlockFault, hiddenBlockFaults, hiddenLogFaults } from "./hidden-faults.js"
import { type LogFault, logFaults } from "./log-faults.js"
import { blockOf, heightNamedBy, isBlockCall, type RpcAnswer, type RpcCall, receiptsOf } from "./rpc-shapes.js"

export interface AnswerContext {
  readonly call: RpcCall
  /** Its own copy: faults may change it in place. */
  readonly result: unknown
  readonly random: SeededRandom
  /** Asks the honest node. */
  readonly ask: (call: RpcCall) => unknown
}

type Outcome = Pick<RpcAnswer, "result"> | Pick<RpcAnswer, "error"> | undefined
type AnswerFault = (context: AnswerContext) => Outcome

const failure = (code: unknown, message: string): Outcome => ({ error: { code, message } })
const strange = "\u0000\ud800 \u202e</script>"

const logFault =
  (change: LogFault): AnswerFault =>
  ({ call, result, random }) => {
    const receipts = receiptsOf(call, result)
    if (receipts === undefined || !change(receipts, random)) return undefined
    return { result: Array.isArray(result) ? receipts : receipts[0] }
  }

const blockFault =
  (change: BlockFault): AnswerFault =>
  ({ call, result, random }) => {
    const block = blockOf(call, result)
    return block !== undefined && change(block, random) ? { result: block } : undefined
  }

const made = <Name extends string, Change>(
  changes: Readonly<Record<Name, Change>>,
  make: (change: Change) => AnswerFault,
): Record<Name, AnswerFault> =>
  Object.fromEntries(Object.entries<Change>(changes).map(([name, change]) => [name, make(change)])) as never

/** The receipt says otherwise. */
const changeParty =
  (party: "from" | "to"): BlockFault =>
  ({ transactions }, random) => {
    const transaction = transactions[random.below(transactions.length)]
    if (typeof transaction !== "object") return false
    transaction[party] = `0x${random.hex(5)}`
    return true
  }

const changeObjects =
  (change: (item: Record<string, unknown>) => void): AnswerFault =>
  ({ result }) => {
    let changed = 0
    const visit = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return
      Object.values(value).forEach(visit)
      if (Array.isArray(value)) return
      change(value as Record<string, unknown>)
      changed++
    }
    visit(result)
    return changed > 0 ? { result } : undefined
  }

const neighbour = (height: number, random: SeededRandom): string =>
  quantity(height > 1 && random.next() < 0.5 ? height - 1 : height + 1)

const numberFields = new Set([
  ...["number", "blockNumber", "timestamp", "gasUsed", "gasLimit", "gas", "nonce"],
  ...["transactionIndex", "logIndex", "cumulativeGasUsed", "status", "type"],
])

const answerFaults = {
  rpcErrorKnownCode: ({ random }) => {
    const code = random.pick([-32000, -32603, -32005, -32002])
    return failure(code, random.pick(["header not found", "internal error", "request timed out"]))
  },
  rpcErrorUnknownCode: ({ random }) => failure(random.pick([4444, -1, 0, -39999, 1e21]), `odd ${strange}`),
  rpcErrorStringCode: () => failure("SERVER_BUSY", "try again"),
  nullBlock: ({ call, result }) => (blockOf(call, result) === undefined ? undefined : { result: null }),
  nullReceipts: ({ call, result }) => (receiptsOf(call, result) === undefined ? undefined : { result: null }),
  receiptsOneShort: ({ call, result, random }) => {
    if (call.method !== "eth_getBlockReceipts" || !Array.isArray(result) || result.length === 0) return undefined
    result.splice(random.below(result.length), 1)
    return { result }
  },
  receiptsOfAnotherBlock: ({ call, result, random, ask }) => {
    const height = heightNamedBy(call)
    if (height === undefined || !Array.isArray(result)) return undefined
    const other = ask({ method: call.method, params: [neighbour(height, random)] })
    return Array.isArray(other) && other.length > 0 ? { result: other } : undefined
  },
  ...made(logFaults, logFault),
  ...made(hiddenLogFaults, logFault),
  ...made(hiddenBlockFaults, blockFault),
  transactionMissing: ({ call, result, random }) => {
    const block = blockOf(call, result)
    if (block === undefined || block.transactions.length === 0) return undefined
    block.transactions.splice(random.below(block.transactions.length), 1)
    return { result: block }
  },
  senderChanged: blockFault(changeParty("from")),
  recipientChanged: blockFault(changeParty("to")),
  wrongParentHash: ({ call, result, random }) => {
    const block = blockOf(call, result)
    if (block === undefined) return undefined
    block.parentHash = `0x${random.hex(8)}`
    return { result: block }
  },
  blockOfAnotherNumber: ({ call, random, ask }) => {
    const height = heightNamedBy(call)
    if (height === undefined || !isBlockCall(call)) return undefined
    const other = ask({ ...call, params: [neighbour(height, random), ...(call.params ?? []).slice(1)] })
    return other === null ? undefined : { result: other }
  },
  wrongReceiptBlockHash: ({ call, result, random }) => {
    const receipts = receiptsOf(call, result)
    if (receipts === undefined || receipts.length === 0) return undefined
    const blockHash = `0x${random.hex(8)}`
    for (const receipt of receipts) {
      receipt.blockHash = blockHash
      for (const log of receipt.logs) log.blockHash = blockHash
    }
    return { result: Array.isArray(result) ? receipts : receipts[0] }
  },
  headGoesBack: ({ call, result, random, ask }) => {
    const latest = call.method === "eth_getBlockByNumber" && call.params?.[0] === "latest"
    if (!latest && call.method !== "eth_blockNumber") return undefined
    const head = Number(latest ? blockOf(call, result)?.number : result)
    if (!(head > 0)) return undefined
    const earlier = quantity(Math.max(0, head - 1 - random.below(64)))
    return { result: latest ? ask({ ...call, params: [earlier, ...call.params!.slice(1)] }) : earlier }
  },
  wrongChainId: ({ call, result, random }) => {
    const other = Number(result) + 1 + random.below(1_000)
    if (call.method === "eth_chainId") return { result: quantity(other) }
    return call.method === "net_version" ? { result: String(other) } : undefined
  },
  numbersInsteadOfHex: changeObjects((item) => {
    for (const [name, value] of Object.entries(item)) {
      if (numberFields.has(name) && typeof value === "string") item[name] = Number(value)
    }
  }),
  uppercaseHex: ({ result }) => {
    const before = JSON.stringify(result)
    const after = before.replace(/"0x([0-9a-f]+)"/g, (_, digits: string) => `"0x${digits.toUpperCase()}"`)
    return after === before ? undefined : { result: JSON.parse(after) }
  },
  unknownFields: changeObjects((item) => {
    Object.assign(item, { l1Fee: "0x1", unheardOf: { nested: [1, "two", null, 1e300] } })
  }),
  hostileStrings: changeObjects((item) => {
    Object.assign(item, { note: strange, [`key${strange}`]: "\udfff" })
  }),
} satisfies Record<string, AnswerFault>

export type AnswerFaultName = keyof typeof answerFaults
export const answerFaultNames = Object.keys(answerFaults) as readonly AnswerFaultName[]

export const applyAnswerFault = (name: AnswerFaultName, context: AnswerContext): Outcome =>
  (answerFaults[name] as AnswerFault)(context)
