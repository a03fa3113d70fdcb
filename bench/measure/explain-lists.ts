// The plan of every list of the API, as the sessions of the API keep it for a store of this size: which read a large table whole, and
// which read partitions outside of the heights that are asked for.

import { evmFamily } from "../../src/families/evm/evm-family.js"
import type { Connection } from "../../src/postgres/connection.js"
import { planSettings } from "../../src/postgres/session-settings.js"
import type { ListResource } from "../../src/queries/resource.js"
import { pageStatement } from "../../src/queries/scoped-statement.js"
import { explainKept } from "../../test/support/explain-kept.js"

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
  for (const { setting, fixed } of planSettings) await store.query(`set ${setting} = ${fixed}`)
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
        const plan = await explainKept(store, pageStatement(list, { page, counted: values }))
        plans++
        for (const [, table] of plan.matchAll(/Seq Scan on (\w+)/g))
          if ((size.get(table!) ?? 0) > largeRows) wrong.push(`${list.path} ${order} reads ${table} whole`)
        // What the path names is found by the index, not among the rows that it gives.
        for (const [, column] of plan.matchAll(/Filter: .*?(\w*address|topic0|owner) = \$/g))
          wrong.push(`${list.path} ${order} looks for ${column} in each row`)
        const partitions = new Set([...plan.matchAll(/ on \w+_p(\d+)\b/g)].map(([, number]) => number))
        if (asked === stretch && partitions.size > 1)
          wrong.push(`${list.path} ${order} reads the partitions ${[...partitions].join(", ")} for one`)
      }
    }
  }
  return { plans, wrong }
}
