// Which rows belong to which, as declared: a row has a place in the chain; a fold says which event rows make a state row;
// a table that has all key columns of a state table names a row of it. The way back is a list, where an index answers it.

import type { WorkerRegistry } from "../../workers/worker-registry.js"
import { type GraphRelation, type GraphTable, joinableKinds, type Place } from "./graph-table.js"
import type { TableNames } from "./table-names.js"

type Link = Pick<GraphRelation, "from" | "to" | "own" | "target"> & { readonly place?: string }

export function tableRelations(
  tables: readonly GraphTable[],
  { registry, places, names }: { registry: WorkerRegistry; places: readonly Place[]; names: TableNames },
): GraphRelation[] {
  const links = [...placeLinks(tables, places), ...foldLinks(tables, registry), ...keyLinks(tables)].filter(isJoinable)
  const seen = new Set<string>()
  const taken = new Map(tables.map((table) => [table, new Set(table.columns.keys())]))
  const relations: GraphRelation[] = []
  const add = ({ from, to, own, target }: Link, isList: boolean, wanted: string): void => {
    const identity = JSON.stringify([from.name, to.name, own, target, isList])
    if (seen.has(identity)) return
    seen.add(identity)
    const used = taken.get(from)!
    const name = used.has(wanted) ? `${wanted}_${isList ? "rows" : "row"}` : wanted
    if (used.has(name)) return
    used.add(name)
    relations.push({ ...{ name, from, to, own, target, isList } })
  }
  for (const link of links) {
    const { from, to, own, target, place } = link
    const differing = own.filter((column, at) => column !== target[at])
    const by = place !== undefined || differing.length === 0 ? "" : `_by_${differing.join("_and_")}`
    add(link, false, place ?? `${names.of(to).related}${by}`)
    // With the whole key there is one row at most, and the other direction has it already.
    if (from.key.every((column) => own.includes(column)) || !isIndexed(from, own)) continue
    add({ from: to, to: from, own: target, target: own }, true, `${names.of(from).list}${by}`)
  }
  return relations
}

const isJoinable = ({ from, to, own, target }: Link): boolean =>
  own.every((column, at) => {
    const [mine, other] = [from.columns.get(column)?.kind, to.columns.get(target[at]!)?.kind]
    return mine !== undefined && mine === other && joinableKinds.includes(mine)
  })

const isIndexed = ({ key, indexes }: GraphTable, columns: readonly string[]): boolean =>
  [key, ...indexes].some((index) => columns.every((column) => index.slice(0, columns.length).includes(column)))

function placeLinks(tables: readonly GraphTable[], places: readonly Place[]): Link[] {
  return places.flatMap(({ name, table, columns }) => {
    const to = tables.find((one) => one.name === table)
    const [own, target] = [Object.keys(columns), Object.values(columns)]
    if (!to) return []
    return tables
      .filter((from) => from !== to && from.height !== undefined && own.every((column) => from.columns.has(column)))
      .map((from) => ({ ...{ from, to, own, target }, place: name }))
  })
}

function foldLinks(tables: readonly GraphTable[], registry: WorkerRegistry): Link[] {
  return [...registry.folds.values()].flat().flatMap((plan) =>
    plan.sources.flatMap((source): Link[] => {
      const [from, to] = [source.table, plan.table].map((name) => tables.find((one) => one.name === name))
      const own = source.key.flatMap((expression) => (expression.of === "column" ? [expression.column] : []))
      if (!from || !to || own.length < source.key.length) return []
      return [{ ...{ from, to, own }, target: plan.key.map(({ name }) => name) }]
    }),
  )
}

function keyLinks(tables: readonly GraphTable[]): Link[] {
  return tables
    .filter(({ height, store }) => height === undefined && store === "app")
    .flatMap((to) =>
      tables
        .filter((from) => from !== to && from.store === "app" && to.key.every((column) => from.columns.has(column)))
        .map((from) => ({ ...{ from, to }, own: to.key, target: to.key })),
    )
}
