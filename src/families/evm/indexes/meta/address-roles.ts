// The addresses that took part in a transaction, and their roles. Each address occurs once per role. Its first role
// in the order below is marked, so that counting marked rows counts transactions.

import type { Hex } from "../../../../domain/linked-block.js"
import type { EncodedField } from "../../../../workers/encoded-field.js"
import type { TransactionView } from "../../raw/block-view.js"
import { zeroAddress } from "../evm-events/abi-words.js"
import { decodeTransfers } from "../tokens/decode-transfers.js"

/** created: the contract that the transaction itself created. emitter: a contract that logged. */
const addressRoles = ["from", "to", "created", "emitter", "token_from", "token_to"] as const

export type AddressRole = (typeof addressRoles)[number]

export interface AddressInRole {
  /** The raw column if there is one, else the address in a log. */
  readonly address: Hex | EncodedField
  readonly role: AddressRole
  readonly firstOfTransaction: boolean
}

const bitOf = Object.fromEntries(addressRoles.map((role, at) => [role, 1 << at])) as Record<AddressRole, number>

export function forEachAddressRole(transaction: TransactionView, visit: (addressInRole: AddressInRole) => void): void {
  // The roles each address has had so far, as bits.
  const had = new Map<Hex, number>()
  const take = (role: AddressRole, hex: Hex | null, field?: () => EncodedField): void => {
    if (hex === null) return
    const roles = had.get(hex) ?? 0
    const bit = bitOf[role]
    if ((roles & bit) !== 0) return
    had.set(hex, roles | bit)
    visit({ address: field ? field() : hex, role, firstOfTransaction: roles === 0 })
  }
  // The zero address of mints and burns takes no part.
  const takeParty = (role: AddressRole, hex: Hex): void => {
    if (hex !== zeroAddress) take(role, hex)
  }

  take("from", transaction.from, () => transaction.field("from_address"))
  take("to", transaction.to, () => transaction.field("to_address"))
  take("created", transaction.contractAddress, () => transaction.field("contract_address"))
  for (const event of transaction.events) take("emitter", event.address, () => event.field("address"))
  const { ft, nft } = decodeTransfers(transaction)
  for (const { from } of ft) takeParty("token_from", from)
  for (const { from } of nft) takeParty("token_from", from)
  for (const { to } of ft) takeParty("token_to", to)
  for (const { to } of nft) takeParty("token_to", to)
}
