// One answer of the API as a query. Its key begins with the chain, so that the stream of a chain finds what it may change.

import { queryOptions } from "@tanstack/react-query"
import { createClient, type Routes } from "tidemark/client"

export type Path = keyof Routes
export type Answer<P extends Path> = Routes[P]["answer"]
export type RowOf<P extends Path> = Answer<P> extends { readonly data: readonly (infer Row)[] } ? Row : never
/** Arguments that are undefined are left out. */
export type ArgsOf<P extends Path> = {
  readonly [K in keyof Routes[P]["args"]]: Routes[P]["args"][K] | undefined
}

export const clientOf = (chain: string) => createClient({ url: location.origin, chain })

export function apiQuery<P extends Path>(chain: string, path: P, args: ArgsOf<P>) {
  return queryOptions({
    queryKey: ["chain", chain, path, args] as const,
    queryFn: ({ signal }): Promise<Answer<P>> => {
      const get = clientOf(chain).get as (path: P, args: object, options: object) => Promise<Answer<P>>
      return get(path, args, { signal })
    },
  })
}

/** Stays as it was read, also while blocks of it are rolled back, until somebody asks for it again. */
export const kept = { meta: { kept: true } } as const

/** The same for a list whose page changes: the old rows stay until the new ones are there. Rows of another list do not. */
export const pageQuery = <P extends Path>(chain: string, path: P, args: ArgsOf<P>) => {
  const query = apiQuery(chain, path, args)
  return {
    ...query,
    placeholderData: <T>(rows: T | undefined, of?: { readonly queryKey: readonly unknown[] }): T | undefined =>
      of && listOf(of.queryKey) === listOf(query.queryKey) ? rows : undefined,
    ...kept,
  }
}

const listOf = ([, chain, path, args]: readonly unknown[]): string =>
  JSON.stringify([chain, path, { ...(args as object), cursor: undefined }])
