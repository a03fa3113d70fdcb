// Where a thing that was found has its page.

import type { LinkProps } from "@tanstack/react-router"
import type { Found } from "./search-query"

export interface FoundLink {
  readonly to: NonNullable<LinkProps["to"]>
  readonly params: Readonly<Record<string, string>>
}

export function foundLink(chain: string, { type, hash, block_height: height, address }: Found): FoundLink {
  const at = address ?? ""
  switch (type) {
    case "block":
      return { to: "/$chain/blocks/$block", params: { chain, block: hash ?? height ?? "" } }
    case "transaction":
      return { to: "/$chain/transactions/$hash", params: { chain, hash: hash ?? "" } }
    case "token":
      return { to: "/$chain/tokens/$contract", params: { chain, contract: at } }
    case "collection":
      return { to: "/$chain/collections/$contract", params: { chain, contract: at } }
    default:
      return { to: "/$chain/accounts/$address", params: { chain, address: at } }
  }
}

export const keyOfFound = ({ type, hash, address, block_height: height }: Found): string =>
  `${type}.${hash ?? address ?? height}`
