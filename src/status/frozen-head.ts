// Whether the head that is followed belongs to a node that no longer moves. Pure.

import type { ProviderHead } from "../source/block-source.js"
import type { ChainStatus, ProviderSummary } from "./chain-status.js"

export interface FrozenProvider extends ProviderSummary {
  readonly head: ProviderHead
}

export const frozenProviders = ({ providers }: ChainStatus): readonly FrozenProvider[] =>
  providers.filter((one): one is FrozenProvider => one.head?.fault === "frozen")

/** The frozen provider whose head is followed, because no other one has a better head. */
export function frozenHead(status: ChainStatus): FrozenProvider | undefined {
  const frozen = frozenProviders(status)
  const others = status.providers.some(({ head, state }) => head && head.fault !== "frozen" && state !== "open")
  return others ? undefined : frozen[0]
}
