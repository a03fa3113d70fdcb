// The tokens that a transaction moved, in their order.

import { useQuery } from "@tanstack/react-query"
import { useChain } from "../app/chain-context"
import { apiQuery, kept, type RowOf } from "../data/api-query"
import type { Scope } from "../parts/completeness"

export type FtMove = RowOf<"/transactions/{hash}/transfers">
export type NftMove = RowOf<"/transactions/{hash}/nft-transfers">

type Move =
  | { readonly kind: "ft"; readonly key: string; readonly row: FtMove }
  | { readonly kind: "nft"; readonly key: string; readonly row: NftMove }

export interface Story {
  readonly moves: readonly Move[]
  readonly meta: Scope | undefined
  /** There are more than are shown. */
  readonly isCut: boolean
  readonly isAwaited: boolean
  readonly readAgain: () => void
}

export const mostMoves = 100

export function useStory(hash: string): Story {
  const chain = useChain()
  const args = { hash, order: "asc", limit: mostMoves } as const
  const ft = useQuery({ ...apiQuery(chain, "/transactions/{hash}/transfers", args), ...kept })
  const nft = useQuery({ ...apiQuery(chain, "/transactions/{hash}/nft-transfers", args), ...kept })
  const moves: readonly Move[] = [
    ...(ft.data?.data ?? []).map((row) => ({ kind: "ft", key: `${row.event_index}`, row }) as const),
    ...(nft.data?.data ?? []).map(
      (row) => ({ kind: "nft", key: `${row.event_index}.${row.batch_index}`, row }) as const,
    ),
  ]
  const partOf = (move: Move): number => (move.kind === "nft" ? move.row.batch_index : 0)
  return {
    moves: moves.toSorted((one, other) => one.row.event_index - other.row.event_index || partOf(one) - partOf(other)),
    meta: ft.data?.meta,
    isCut: Boolean(ft.data?.meta.next_cursor ?? nft.data?.meta.next_cursor),
    isAwaited: ft.isPending || nft.isPending,
    readAgain: () => {
      void ft.refetch()
      void nft.refetch()
    },
  }
}
