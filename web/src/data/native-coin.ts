// What a chain's own coin is called. Unknown chains are taken for children of Ethereum, as most are.

import { useQuery } from "@tanstack/react-query"
import { useChain } from "../app/chain-context"
import { statusQuery } from "./status-query"

const coins: Readonly<Record<string, string>> = {
  "25": "CRO",
  "56": "BNB",
  "97": "BNB",
  "100": "xDAI",
  "137": "POL",
  "250": "FTM",
  "747": "FLOW",
  "1284": "GLMR",
  "5000": "MNT",
  "42220": "CELO",
  "43114": "AVAX",
  "80002": "POL",
}

export function useNativeCoin(): string {
  const { data } = useQuery(statusQuery(useChain()))
  return coins[data?.chain_id ?? ""] ?? "ETH"
}
