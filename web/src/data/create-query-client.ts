// The cache of all answers. What may have changed is asked for again when the stream says so, not by age or by focus.

import { QueryClient } from "@tanstack/react-query"
import { TidemarkError } from "tidemark/client"

const retries = 3
/** Asking again would be answered the same way. */
const isFinal = (error: Error): boolean => error instanceof TidemarkError && error.status >= 400 && error.status < 500

export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        retry: (count, error) => !isFinal(error) && count < retries,
      },
    },
  })
