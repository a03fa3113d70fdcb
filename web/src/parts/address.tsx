// An address with its mark.

import type { ReactNode } from "react"
import { AddressMark } from "./address-mark"
import { Hash } from "./hash"

interface AddressProps {
  readonly address: string
  readonly whole?: boolean
}

export function Address({ address, whole = false }: AddressProps): ReactNode {
  return <Hash value={address} name="address" whole={whole} mark={<AddressMark address={address} />} />
}
