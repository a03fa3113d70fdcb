// What the API finds for a text.

import { keepPreviousData } from "@tanstack/react-query"
import { type Answer, apiQuery } from "../data/api-query"

export type Found = Answer<"/search">["data"][number]

/** Longer texts are refused. */
export const longestQuery = 100

/** Numbers are written with marks between their digits. */
export const cleanQuery = (text: string): string => {
  const trimmed = text.trim().slice(0, longestQuery)
  return /^\d[\d,_ ]*$/.test(trimmed) ? trimmed.replace(/[,_ ]/g, "") : trimmed
}

export const searchQuery = (chain: string, q: string) => ({
  ...apiQuery(chain, "/search", { q }),
  enabled: q !== "",
  placeholderData: keepPreviousData,
})
