// The number of an item. Only items of ERC-721 are single, and have a page.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"

interface TokenIdProps {
  readonly contract: string
  readonly id: string
  readonly standard: string
}

const short = (id: string): string => (id.length > 14 ? `${id.slice(0, 6)}…${id.slice(-4)}` : id)

export function TokenId({ contract, id, standard }: TokenIdProps): ReactNode {
  const chain = useChain()
  const text = <code title={id}>#{short(id)}</code>
  if (standard !== "erc721") return text
  return (
    <Link to="/$chain/collections/$contract/$item" params={{ chain, contract, item: id }}>
      {text}
    </Link>
  )
}
