// module proxy, as far as the store answers it: JSON-RPC about blocks, transactions and receipts.

import { contains, containsHeight } from "../../../../domain/range-set.js"
import type { EtherscanAction, EtherscanAsk } from "../../../../queries/etherscan/etherscan-action.js"
import { EtherscanError } from "../../../../queries/etherscan/etherscan-error.js"
import { stringifyExact } from "../../source/exact-json.js"
import { readBlockJson, readTransactionJson } from "../stored-json.js"
import { quantity } from "./etherscan-values.js"
import { readStored, type Stored } from "./read-stored.js"

async function heightOf(tag: string, { chain }: EtherscanAsk, { scope, newest }: Stored): Promise<number> {
  if (tag === "latest") return newest
  if (tag === "earliest") return scope.start
  if (tag === "finalized" || tag === "safe") {
    const { finalized } = await chain.head()
    if (finalized === null) throw new EtherscanError(`the ${tag} block is not known`)
    return Math.min(finalized, newest)
  }
  if (/^(0x[0-9a-f]{1,12}|\d{1,15})$/.test(tag)) return Number(tag)
  throw new EtherscanError(`the tag ${tag.slice(0, 20)} is not answered here`, { code: -32602 })
}

async function blockJson(ask: EtherscanAsk, stored: Stored): Promise<string> {
  const { params } = ask
  const height = await heightOf(params.required("tag").toLowerCase(), ask, stored)
  // As a node that does not have it yet.
  if (height > stored.newest) return "null"
  if (!containsHeight(stored.scope.covered, height)) throw new EtherscanError(`block ${height} is not indexed`)
  const isFull = params.text("boolean")?.toLowerCase() === "true"
  return stringifyExact((await readBlockJson(stored.tx, { height, isFull })) ?? null)
}

/** A store with gaps cannot tell a transaction that is not mined yet from one that is not indexed. */
async function transactionJson(
  { params }: EtherscanAsk,
  stored: Stored,
  of: "transaction" | "receipt",
): Promise<string> {
  const { tx, scope, newest } = stored
  const found = await readTransactionJson(tx, params.hash("txhash"))
  if (found) return stringifyExact(found[of])
  const isWhole = contains(scope.covered, { from: Math.min(1, newest), to: newest + 1 })
  if (isWhole || params.isPartialAccepted) return "null"
  throw new EtherscanError("the transaction is not in the blocks that are indexed; others are missing")
}

const proxy = (
  action: string,
  read: (ask: EtherscanAsk, stored: Stored) => Promise<string> | string,
): EtherscanAction => ({
  module: "proxy",
  action,
  answer: async (ask) => {
    const { value, completeness } = await readStored(ask, async (stored) => read(ask, stored))
    return { kind: "rpc", json: value, completeness }
  },
})

export const chainProxy: readonly EtherscanAction[] = [
  proxy("eth_blockNumber", (_ask, { newest }) => JSON.stringify(quantity(newest))),
  proxy("eth_getBlockByNumber", blockJson),
  proxy("eth_getTransactionByHash", (ask, stored) => transactionJson(ask, stored, "transaction")),
  proxy("eth_getTransactionReceipt", (ask, stored) => transactionJson(ask, stored, "receipt")),
]
