// Which columns of its rows a field needs: those it selects, and those that its relations are followed by.

import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from "graphql"
import type { GraphRelation, GraphTable } from "./graph-table.js"

/** `path`: fields between the field and its rows, such as edges and node. */
export function selectedColumns(
  info: Pick<GraphQLResolveInfo, "fieldNodes" | "fragments">,
  {
    table,
    relations,
    paths,
  }: { table: GraphTable; relations: readonly GraphRelation[]; paths: readonly (readonly string[])[] },
): readonly string[] {
  const below = (nodes: readonly FieldNode[], path: readonly string[]): readonly FieldNode[] =>
    path.reduce(
      (found, name) =>
        found.flatMap((node) => fieldsOf(node.selectionSet, info)).filter((one) => one.name.value === name),
      nodes,
    )
  const names = new Set(
    paths
      .flatMap((path) => below(info.fieldNodes, path))
      .flatMap((node) => fieldsOf(node.selectionSet, info))
      .map((node) => node.name.value),
  )
  return [
    ...new Set([
      ...[...table.columns.keys()].filter((column) => names.has(column)),
      ...relations.filter(({ name }) => names.has(name)).flatMap(({ own }) => own),
    ]),
  ]
}

/** Types of tables have no kinds of their own, so a condition on the type is always met. */
function fieldsOf(
  set: SelectionSetNode | undefined,
  info: Pick<GraphQLResolveInfo, "fragments">,
): readonly FieldNode[] {
  return (set?.selections ?? []).flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection]
    if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(selection.selectionSet, info)
    return fieldsOf(info.fragments[selection.name.value]?.selectionSet, info)
  })
}
