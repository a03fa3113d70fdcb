// The hash of a transaction, as the way to its page.

import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { Hash } from "./hash"

export function TransactionHash({ hash }: { readonly hash: string }): ReactNode {
  const chain = useChain()
  return <Hash value={hash} name="transaction hash" to="/$chain/transactions/$hash" params={{ chain, hash }} />
}
