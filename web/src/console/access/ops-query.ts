// One answer of the operators' routes as a query, asked again every few seconds unless the console is paused. What the stream
// tells makes no such answer old: their keys are their own.

import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query"
import { createClient } from "tidemark/client"
import type { Answer, ArgsOf, Path } from "../../data/api-query"
import { usePause } from "../../live/pause-context"
import { adminHeaders } from "./admin-fetch"
import { useAdminToken } from "./use-admin-token"

export type OpsPath = Extract<Path, `/ops/${string}`>

const refreshMs = 5_000

function opsQuery<P extends OpsPath>(chain: string, path: P, args: ArgsOf<P>, token: string | undefined) {
  return queryOptions({
    // Keys stay in memory. With another token there is another answer.
    queryKey: ["ops", chain, path, args, token] as const,
    queryFn: ({ signal }): Promise<Answer<P>> => {
      const client = createClient({ url: location.origin, chain, headers: adminHeaders(token) })
      const get = client.get as (path: P, args: object, options: object) => Promise<Answer<P>>
      return get(path, args, { signal })
    },
    placeholderData: keepPreviousData,
  })
}

interface OpsOptions {
  /** Another pace than every five seconds. */
  readonly everyMs?: number
  readonly enabled?: boolean
}

export function useOps<P extends OpsPath>(
  chain: string,
  path: P,
  args: ArgsOf<P>,
  { everyMs = refreshMs, enabled = true }: OpsOptions = {},
) {
  const [token] = useAdminToken()
  const { isPaused } = usePause()
  return useQuery({
    ...opsQuery(chain, path, args, token),
    ...{ enabled, staleTime: everyMs, refetchInterval: isPaused ? false : everyMs },
  })
}
