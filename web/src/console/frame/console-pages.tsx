// The console of one chain, in the shell of the explorer: one head, one tideline, one stream.

import { useParams } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { ChainShell } from "../../shell/chain-shell"
import { ConsoleFrame } from "./console-frame"
import { PauseProvider } from "./pause-provider"

export function ConsolePages(): ReactNode {
  const { chain } = useParams({ from: "/console/$chain" })
  return (
    <PauseProvider key={chain}>
      <ChainShell chain={chain}>
        <ConsoleFrame />
      </ChainShell>
    </PauseProvider>
  )
}
