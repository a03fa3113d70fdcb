// The plan of every list of the API with every number of its filters and in every order, as the sessions of the API keep it for
// a store of this size, and of the lists in the format of Etherscan: which read a large table whole, and which read partitions
// outside of the heights that are asked for.

import type { BlockRange } from "../../src/domain/block-range.js"
import type { Connection } from "../../src/postgres/connection.js"
import { planSettings } from "../../src/postgres/session-settings.js"
import { windowSql } from "../../src/queries/etherscan/read-window.js"
import { pageStatement } from "../../src/queries/scoped-statement.js"
import { explainKept } from "../../test/support/explain-kept.js"
import { type ListCase, type ListValues, listCases, windowCases } from "../../test/support/list-cases.js"

interface ExplainedLists {
  readonly plans: number
  /** What is wrong, with the route. */
  readonly wrong: readonly string[]
}

interface ExplainOptions {
  readonly blocks: number
  readonly values: ListValues
}

/** Smaller tables are read faster whole than by an index. */
const largeRows = 20_000

export async function explainLists(store: Connection, { blocks, values }: ExplainOptions): Promise<ExplainedLists> {
  const all = { from: 0, to: blocks }
  const scope = { epoch: 0, start: 0, watermark: blocks - 1, isKnown: true, isEven: true, covered: [all], done: [all] }
  const { rows } = await store.query<{ name: string; rows: number }>(
    "select relname as name, reltuples as rows from pg_class where relkind in ('r', 'p')",
  )
  const size = new Map(rows.map((row) => [row.name, row.rows]))
  const wrong = new Set<string>()
  let plans = 0
  // The last blocks, which lie in one partition.
  const stretch = { from: blocks - 50, to: blocks }
  const look = (title: string, plan: string, { asked, height }: { asked: BlockRange; height: boolean }): void => {
    plans++
    for (const [, table] of plan.matchAll(/Seq Scan on (\w+)/g))
      if ((size.get(table!) ?? 0) > largeRows) wrong.add(`${title} reads ${table} whole`)
    // What the path names is found by the index, not among the rows that it gives.
    const ofTables = plan.replace(/Subquery Scan on .*\n\s*Filter: .*/g, "")
    for (const [, column] of ofTables.matchAll(/Filter: .*?(\w*address|topic0|owner) = \$/g))
      wrong.add(`${title} looks for ${column} in each row`)
    const partitions = new Set([...plan.matchAll(/ on \w+_p(\d+)\b/g)].map(([, number]) => number))
    if (height && asked === stretch && partitions.size > 1)
      wrong.add(`${title} reads the partitions ${[...partitions].join(", ")} for one`)
  }
  const shapes = (height: boolean) =>
    (height ? [all, stretch] : [all]).flatMap((asked) => (["asc", "desc"] as const).map((order) => ({ asked, order })))
  for (const { title, list, selection, large } of windowCases(values)) {
    for (const { asked, order } of shapes(list.height !== undefined)) {
      const page = { skip: 9_990, take: 10 }
      const request = { selection, page, order, ...(large ? { large } : {}) }
      const window = windowSql({ scope, asked }, list, request)
      const { rows: lines } = await store.query<{ "QUERY PLAN": string }>(`explain ${window.sql}`, window.values)
      const plan = lines.map((line) => line["QUERY PLAN"]).join("\n")
      look(`${title} ${order}`, plan, { asked, height: list.height !== undefined })
    }
  }
  const explainCase = async ({ title, list, request }: ListCase): Promise<void> => {
    const selection = await list.select(store, request)
    if (!selection) return
    for (const { asked, order } of shapes(list.height !== undefined)) {
      const page = { scope, asked, order, limit: 25, after: undefined, selection }
      const plan = await explainKept(store, pageStatement(list, { page, counted: request }))
      look(`${title} ${order}`, plan, { asked, height: list.height !== undefined })
    }
  }
  // What is summed up to a height is planned for its values, all else once for all.
  const [summed, others] = [true, false].map((isSummed) =>
    listCases(values).filter(({ request }) => (request["at"] !== undefined) === isSummed),
  )
  for (const one of summed!) await explainCase(one)
  for (const { setting, fixed } of planSettings) await store.query(`set ${setting} = ${fixed}`)
  for (const one of others!) await explainCase(one)
  return { plans, wrong: [...wrong] }
}
