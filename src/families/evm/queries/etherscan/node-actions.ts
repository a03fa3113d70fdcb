// What only a node can answer: the state of accounts, calls, and sending transactions. The operator allows each method.

import type { EtherscanAction, EtherscanAsk } from "../../../../queries/etherscan/etherscan-action.js"
import { EtherscanError } from "../../../../queries/etherscan/etherscan-error.js"
import { hex } from "./etherscan-values.js"

const tagPattern = /^(latest|pending|earliest|safe|finalized|0x[0-9a-f]{1,12}|\d{1,15})$/

/** A height in decimal is one too. */
function tagOf({ params }: EtherscanAsk): string {
  const tag = params.text("tag")?.toLowerCase() ?? "latest"
  if (!tagPattern.test(tag)) throw new EtherscanError("Error! Invalid tag")
  return /^\d/.test(tag) && !tag.startsWith("0x") ? `0x${Number(tag).toString(16)}` : tag
}

/** Hex of any length, as the node is given it. */
function hexText({ params }: EtherscanAsk, name: string, { optional = false } = {}): string | undefined {
  const value = optional ? params.text(name) : params.required(name)
  if (value !== undefined && !/^0x[0-9a-fA-F]*$/.test(value)) throw new EtherscanError(`Error! Invalid ${name}`)
  return value
}

function callOf(ask: EtherscanAsk): Record<string, string> {
  const { params } = ask
  const names = ["data", "value", "gas", "gasPrice", "maxFeePerGas", "maxPriorityFeePerGas", "nonce"]
  const call: Record<string, string | undefined> = {
    to: ask.params.text("to") === undefined ? undefined : hex(params.address("to")),
    from: params.text("from") === undefined ? undefined : hex(params.address("from")),
    ...Object.fromEntries(names.map((name) => [name, hexText(ask, name, { optional: true })])),
  }
  call["gas"] ??= hexText(ask, "gasLimit", { optional: true })
  return Object.fromEntries(Object.entries(call).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

const proxied = (method: string, paramsOf: (ask: EtherscanAsk) => readonly unknown[]): EtherscanAction => ({
  module: "proxy",
  action: method,
  methods: [method],
  answer: async (ask) => ({ kind: "rpc", json: JSON.stringify((await ask.node(method, paramsOf(ask))) ?? null) }),
})

async function balanceOf(ask: EtherscanAsk, address: Buffer): Promise<string> {
  const wei = await ask.node("eth_getBalance", [hex(address), tagOf(ask)])
  if (typeof wei !== "string" || !/^0x[0-9a-f]{1,64}$/i.test(wei))
    throw new EtherscanError("Error! The node gave no balance")
  return BigInt(wei).toString()
}

export const nodeActions: readonly EtherscanAction[] = [
  {
    module: "account",
    action: "balance",
    methods: ["eth_getBalance"],
    answer: async (ask) => ({ kind: "value", value: await balanceOf(ask, ask.params.address("address")) }),
  },
  {
    module: "account",
    action: "balancemulti",
    methods: ["eth_getBalance"],
    answer: async (ask) => {
      const rows: { account: string; balance: string }[] = []
      for (const address of ask.params.addresses("address", 20))
        rows.push({ account: hex(address), balance: await balanceOf(ask, address) })
      return { kind: "list", none: "No records found", rows }
    },
  },
  proxied("eth_gasPrice", () => []),
  proxied("eth_getTransactionCount", (ask) => [hex(ask.params.address("address")), tagOf(ask)]),
  proxied("eth_getCode", (ask) => [hex(ask.params.address("address")), tagOf(ask)]),
  proxied("eth_getStorageAt", (ask) => [hex(ask.params.address("address")), hexText(ask, "position"), tagOf(ask)]),
  proxied("eth_call", (ask) => [callOf(ask), tagOf(ask)]),
  proxied("eth_estimateGas", (ask) => [callOf(ask)]),
  proxied("eth_sendRawTransaction", (ask) => [hexText(ask, "hex")]),
]
