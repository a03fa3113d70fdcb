// The pages of one chain, in the shell that they share.

import { Outlet, useParams } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { ChainShell } from "../shell/chain-shell"

export function ChainPages(): ReactNode {
  const { chain } = useParams({ from: "/$chain" })
  return (
    <ChainShell key={chain} chain={chain}>
      <Outlet />
    </ChainShell>
  )
}
