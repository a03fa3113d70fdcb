// An address with its mark, as the way to its page.

import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { AddressMark } from "./address-mark"
import { Hash } from "./hash"

interface AddressProps {
  readonly address: string
  readonly whole?: boolean
  /** Where it is the page's own. */
  readonly unlinked?: boolean
}

export function Address({ address, whole = false, unlinked = false }: AddressProps): ReactNode {
  const chain = useChain()
  const link = unlinked ? {} : { to: "/$chain/accounts/$address" as const, params: { chain, address } }
  return <Hash value={address} name="address" whole={whole} mark={<AddressMark address={address} />} {...link} />
}
