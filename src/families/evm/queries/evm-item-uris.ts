// The URI of an item's document: tokenURI of ERC-721, else uri of ERC-1155 with its {id} filled in.

import type { ItemUris } from "../../../queries/item-uris.js"
import { bytesOf } from "../../../queries/value-schemas.js"
import { longTextOf } from "../indexes/token-metadata/metadata-answer.js"

const selectors = { tokenURI: "0xc87b56dd", uri: "0x0e89341c" } as const
const callGas = "0x989680"

export const evmItemUris: ItemUris = {
  workers: ["token_worker", "nft_ownership_worker"],
  isKnown: async (tx, { contract, item }) => {
    const { rows } = await tx.query(
      `select from app.nft_ownership where contract_address = $1 and token_id = $2::numeric
       union all
       select from app.nft_collections where contract_address = $1 and erc1155_transfers > 0 limit 1`,
      [bytesOf(contract), item],
    )
    return rows.length > 0
  },
  read: async (node, { contract, item }, signal) => {
    const word = BigInt(item).toString(16).padStart(64, "0")
    for (const selector of Object.values(selectors)) {
      const call = { to: contract, data: `${selector}${word}`, gas: callGas }
      const answer = await node.call("eth_call", [call, "latest"], signal)
      const text =
        "value" in answer && typeof answer.value === "string" ? longTextOf(bytesOf(answer.value)) : undefined
      // The standard's placeholder: lower case hex without 0x.
      if (text) return text.replaceAll("{id}", word)
    }
    return undefined
  },
}
