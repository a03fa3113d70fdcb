// Which family a chain belongs to. The only file outside src/families and src/config.ts that names one.

import type { ChainFamily } from "../families/chain-family.js"
import { evmFamily } from "../families/evm/evm-family.js"

export const families: readonly ChainFamily[] = [evmFamily]

/** Every chain is an EVM chain. */
export const familyOf = (_chain: { readonly name?: string | undefined }): ChainFamily => evmFamily
