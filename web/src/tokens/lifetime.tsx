// The first and the last block in which something was seen.

import type { ReactNode } from "react"
import { BlockLink } from "../blocks/block-columns"

interface LifetimeProps {
  readonly first: string | null
  readonly last: string | null
}

export function Lifetime({ first, last }: LifetimeProps): ReactNode {
  if (first === null || last === null) return <span className="quiet">not yet</span>
  if (first === last)
    return (
      <>
        in block <BlockLink height={first} />
      </>
    )
  return (
    <>
      from block <BlockLink height={first} /> to <BlockLink height={last} />
    </>
  )
}
