// Sends planned transactions to the node in one batch, in the types that wallets use. Blobs are left out: the node
// computes a wrong transactions root for them. Fees decrease along the plan: the node runs a batch in any order and
// sorts by fee, so only this fixes the order in the block.

import { numberToHex } from "viem"
import type { AnvilRpc, RpcCall } from "./anvil-rpc.js"
import type { SeededRandom } from "./seeded-random.js"
import type { DemoTransaction } from "./transaction-kind.js"

const feeFloor = 3_000_000_000n
const feeStep = 1_000_000n
const maxTip = 1_500_000_000

export interface SendOptions {
  readonly random: SeededRandom
  /** The next nonce of each sender; incremented here. */
  readonly nonces: Map<string, number>
}

export interface SendOutcome {
  readonly sent: number
  /** The node's message for the first transaction it rejected. */
  readonly refused: string | undefined
}

export async function sendTransactions(
  rpc: AnvilRpc,
  transactions: readonly DemoTransaction[],
  options: SendOptions,
): Promise<SendOutcome> {
  const calls: RpcCall[] = []
  for (const [i, transaction] of transactions.entries()) {
    const nonce = options.nonces.get(transaction.from) ?? 0
    options.nonces.set(transaction.from, nonce + 1)
    const fee = feeFloor + feeStep * BigInt(transactions.length - i)
    calls.push(toCall(transaction, { ...options, nonce, fee }))
  }
  const outcomes = await rpc.batch(calls)
  const refused = outcomes.flatMap((outcome) => ("error" in outcome ? [outcome.error.message] : []))
  return { sent: outcomes.length - refused.length, refused: refused[0] }
}

function toCall(
  transaction: DemoTransaction,
  { random, nonce, fee }: SendOptions & { readonly nonce: number; readonly fee: bigint },
): RpcCall {
  const { from, to, data, value = 0n, gas } = transaction
  const fields = {
    ...{ from, to, data, value: numberToHex(value), gas: numberToHex(gas), nonce: numberToHex(nonce) },
    ...pickType(random, { to, fee }),
  }
  return { method: "eth_sendTransaction", params: [fields] }
}

function pickType(random: SeededRandom, { to, fee }: { to: string | undefined; fee: bigint }) {
  const roll = random.next()
  if (roll < 0.25) return { type: "0x0", gasPrice: numberToHex(fee) }
  if (roll < 0.35) {
    const accessList = to === undefined ? [] : [{ address: to, storageKeys: [`0x${"00".repeat(32)}`] }]
    return { type: "0x1", gasPrice: numberToHex(fee), accessList }
  }
  return {
    type: "0x2",
    maxFeePerGas: numberToHex(fee),
    maxPriorityFeePerGas: numberToHex(random.integer(0, maxTip)),
  }
}
