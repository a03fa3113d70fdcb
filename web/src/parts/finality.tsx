// Whether a block can still be replaced by the chain.

import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { statusQuery } from "../data/status-query"
import { useLive } from "../live/live-context"
import { plural } from "./format-number"

export function Finality({ height }: { readonly height: string }): ReactNode {
  const { data: status } = useQuery(statusQuery(useChain()))
  const { head: told } = useLive()
  const head = told?.height ?? status?.head_height
  if (!status) return "\u00a0"
  if (head == null || status.finalized_height === null) return <span className="quiet">not known yet</span>
  if (BigInt(height) <= BigInt(status.finalized_height)) return "final: the chain cannot replace it any more"
  const above = BigInt(head) - BigInt(height)
  return (
    <>
      not final yet
      <span className="quiet">, {above > 0n ? `${plural(above, "block")} above it` : "the head"}</span>
    </>
  )
}
