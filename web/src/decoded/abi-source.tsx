// Whose word a decoded name is.

import type { ReactNode } from "react"
import { plainText } from "../parts/plain-text"

interface DecodedBy {
  readonly source: "given" | "config" | "standard"
  readonly name: string
  readonly guessed?: boolean
}

const sources = {
  given: { lead: "ABI given:", why: "An operator gave this ABI." },
  config: { lead: "ABI in the config:", why: "The config file has this ABI." },
  standard: { lead: "standard", why: "A well-known standard." },
} as const
const guess = "Only the first four bytes of the input say so, which another function may share."

export function AbiSource({ abi }: { readonly abi: DecodedBy }): ReactNode {
  const { lead, why } = sources[abi.source]
  return (
    <span className="quiet" title={abi.guessed ? `${why} ${guess}` : why}>
      {lead} <bdi>{plainText(abi.name, 40)}</bdi>
      {abi.guessed && ", guessed by selector"}
    </span>
  )
}
