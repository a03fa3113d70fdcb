// Which ABIs say what a contract's calls and events mean: its own, then those that were given for any contract, then
// standards.

import { IndexerError } from "../../../platform/errors.js"
import type { AbisOfContract, KnownAbi } from "../../../queries/known-abis.js"
import { parseAbi } from "../parse-abi.js"
import { type AbiIndex, indexAbis } from "./index-abis.js"
import { standardAbis } from "./standard-abis.js"

export interface AbiLayers {
  readonly own: AbiIndex
  readonly any: AbiIndex
  readonly standard: AbiIndex
}

const standard = indexAbis(standardAbis)
/** By lists, which stay the same until an ABI of theirs changes. */
const indexes = new WeakMap<readonly KnownAbi[], AbiIndex>()

export const layersOf = ({ own, any }: AbisOfContract): AbiLayers => ({
  own: indexOf(own),
  any: indexOf(any),
  standard,
})

function indexOf(abis: readonly KnownAbi[]): AbiIndex {
  const known = indexes.get(abis)
  if (known) return known
  const index = indexAbis(abis.map((one) => ({ ...one, entries: storedEntries(one.entries) })))
  indexes.set(abis, index)
  return index
}

/** Checked when it was given; one that was written past that check says nothing. */
function storedEntries(entries: unknown) {
  try {
    return parseAbi(entries)
  } catch (error) {
    if (error instanceof IndexerError) return []
    throw error
  }
}
