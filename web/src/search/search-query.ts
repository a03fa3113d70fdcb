// What the API finds for a text.

import { type Answer, apiQuery } from "../data/api-query"

export type Found = Answer<"/search">["data"][number]

/** Longer texts are refused. */
export const longestQuery = 100

/** Numbers are written with marks between their digits. */
export const cleanQuery = (text: string): string => {
  const trimmed = text.trim().slice(0, longestQuery)
  return /^\d[\d,_ ]*$/.test(trimmed) ? trimmed.replace(/[,_ ]/g, "") : trimmed
}

interface Asked {
  readonly queryKey: readonly [scope: string, chain: string, path: string, args: { readonly q?: string | undefined }]
}

export const searchQuery = (chain: string, q: string) => ({
  ...apiQuery(chain, "/search", { q }),
  enabled: q !== "",
  /** While one types on, what was found so far stays. What was found for another text does not. */
  placeholderData: (found: Answer<"/search"> | undefined, asked: Asked | undefined) => {
    const before = asked?.queryKey[3].q ?? ""
    return asked?.queryKey[1] === chain && before !== "" && q.startsWith(before) ? found : undefined
  },
})
