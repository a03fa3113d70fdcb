// Contracts by their names and symbols, and any address by its label. Of many that match alike only some are considered: a thousand imitations of a name
// must not make a search slow.

import type { Queryable } from "../../../postgres/transaction.js"

/** word: the beginning of a word that is not the first. */
export type Match = "exact" | "prefix" | "word" | "contains"

const mostOfKind = 200
/** Of rows that the index of trigrams gives; more than this are a sample. */
const mostByTrigrams = 5_000

const kinds: readonly (readonly [Match, string])[] = [
  ["exact", "word = 0 and term = $1"],
  ["prefix", "word = 0 and term > $1 and term < $2"],
  ["word", "word > 0 and term >= $1 and term < $2"],
]
const parts = ["and field = 'label'", ""].flatMap((of) =>
  kinds.map(
    ([match, where]) =>
      `(select '${match}' as match, field = 'label' as labelled, address from app.search_terms where ${where} ${of} limit $3)`,
  ),
)
const termsSql = parts.join(" union all ")
const containsSql = `select 'contains' as match, field = 'label' as labelled, address from app.search_terms
  where word = 0 and term like $1 limit $2`

export interface NameMatch {
  readonly match: Match
  /** It is the label that matches. */
  readonly labelled: boolean
}

type MatchRow = { readonly match: Match; readonly labelled: boolean; readonly address: Buffer }

const ranks: readonly Match[] = ["exact", "prefix", "word", "contains"]

/** Less is better. What operators call an address comes before what others call themselves. */
export const rankOf = ({ match, labelled }: NameMatch): number => ranks.indexOf(match) * 2 + (labelled ? 0 : 1)

/** By address as hex digits: the best match of each. */
export async function searchNames(
  tx: Queryable,
  { text, enough }: { text: string; enough: number },
): Promise<ReadonlyMap<string, NameMatch>> {
  const { rows: compared } = await tx.query<{ text: string; trigrams: boolean }>(
    `select app.search_text($1) as text, exists (
       select from pg_class join pg_namespace on pg_namespace.oid = relnamespace
       where nspname = 'app' and relname = 'search_terms_trigrams') as trigrams`,
    [text],
  )
  const [{ text: term, trigrams }] = compared as [{ text: string; trigrams: boolean }]
  const matches = new Map<string, NameMatch>()
  const add = (rows: readonly MatchRow[]): void => {
    for (const { match, labelled, address } of rows) {
      const key = address.toString("hex")
      const known = matches.get(key)
      if (!known || rankOf({ match, labelled }) < rankOf(known)) matches.set(key, { match, labelled })
    }
  }
  // No character sorts behind the last one.
  add((await tx.query<MatchRow>(termsSql, [term, `${term}\u{10ffff}`, mostOfKind])).rows)
  // Without a whole trigram the index would be read from end to end. Some locales have no others than these.
  if (!trigrams || matches.size >= enough || !/[a-z0-9]{3}/.test(term)) return matches
  await tx.query(`set local gin_fuzzy_search_limit = ${mostByTrigrams}`)
  const pattern = `%${term.replace(/[\\%_]/g, "\\$&")}%`
  add((await tx.query<MatchRow>(containsSql, [pattern, mostOfKind])).rows)
  return matches
}
