// The plan of every list of the API, as the planner chooses it for a store of this size: which read a large table whole, and
// which read partitions outside of the heights that are asked for.

import { evmFamily } from "../../src/families/evm/evm-family.js"
import type { Connection } from "../../src/postgres/connection.js"
import { pageSql } from "../../src/queries/read-page.js"
import type { ListResource } from "../../src/queries/resource.js"

interface ExplainedLists {
  readonly plans: number
  /** What is wrong, with the route. */
  readonly wrong: readonly string[]
}

interface ExplainOptions {
  readonly blocks: number
  readonly values: Readonly<Record<string, string>>
}

/** Smaller tables are read faster whole than by an index. */
const largeRows = 20_000

export async function explainLists(store: Connection, { blocks, values }: ExplainOptions): Promise<ExplainedLists> {
  const lists = evmFamily.resources.filter((one): one is ListResource => one.kind === "list")
  const covered = [{ from: 0, to: blocks }]
  const scope = { epoch: 0, start: 0, watermark: blocks - 1, isKnown: true, isEven: true, covered, done: covered }
  const { rows } = await store.query<{ name: string; rows: number }>(
    "select relname as name, reltuples as rows from pg_class where relkind in ('r', 'p')",
  )
  const size = new Map(rows.map((row) => [row.name, row.rows]))
  const wrong: string[] = []
  let plans = 0
  // The last blocks, which lie in one partition.
  const stretch = { from: blocks - 50, to: blocks }
  for (const list of lists) {
    for (const asked of list.height ? [covered[0]!, stretch] : [covered[0]!]) {
      for (const order of ["asc", "desc"] as const) {
        const selection = await list.select(store, values)
        if (!selection) continue
        const page = { scope, asked, order, limit: 25, after: undefined, selection }
        const { sql, values: parameters } = pageSql(list, page)
        const explained = await store.query<{ "QUERY PLAN": string }>(`explain ${sql}`, parameters)
        const plan = explained.rows.map((row) => row["QUERY PLAN"]).join("\n")
        plans++
        for (const [, table] of plan.matchAll(/Seq Scan on (\w+)/g))
          if ((size.get(table!) ?? 0) > largeRows) wrong.push(`${list.path} ${order} reads ${table} whole`)
        const partitions = new Set([...plan.matchAll(/ on \w+_p(\d+)\b/g)].map(([, number]) => number))
        if (asked === stretch && partitions.size > 1)
          wrong.push(`${list.path} ${order} reads the partitions ${[...partitions].join(", ")} for one`)
      }
    }
  }
  return { plans, wrong }
}
