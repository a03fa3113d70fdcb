// The accounts of the demo chain. The well-known development accounts sign; the others only receive.

import type { Address } from "viem"
import { keccak256, stringToHex } from "viem"

export const demoChainId = 31337
export const demoAccountCount = 40
/** The phrase of every local development chain: its keys are public. */
export const demoMnemonic = "test test test test test test test test test test test junk"

/** Accounts without a known key. Bounded: the node copies all account state at every block. */
const recipientCount = 600

export function makeRecipients(seed: string): Address[] {
  return Array.from(
    { length: recipientCount },
    (_, i) => `0x${keccak256(stringToHex(`${seed}/recipient/${i}`)).slice(26)}` as const,
  )
}
