// The chains that the server has.

import { queryOptions } from "@tanstack/react-query"
import { readJson } from "./read-json"

export interface ServedChain {
  readonly chain: string
  readonly head_height: string | null
  readonly finalized_height: string | null
}

export const chainsQuery = queryOptions({
  queryKey: ["chains"],
  queryFn: async ({ signal }) => (await readJson<{ data: readonly ServedChain[] }>("/v1/chains", signal)).data,
  staleTime: 60_000,
})
