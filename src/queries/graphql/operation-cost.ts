// What an operation may cost before it runs: the rows that its answer may have, one for each single row and as many as
// `first` says for each list, times those of the rows that they belong to. Values cost nothing.

import {
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql"

/** In the extensions of a field. */
export interface FieldCost {
  cost?(args: { readonly first?: number }, below: number): number
}

export const listCost: FieldCost = { cost: ({ first = 0 }, below) => 1 + Math.max(0, first) * (1 + below) }
export const rowCost: FieldCost = { cost: (_args, below) => 1 + below }

export function operationCost(
  schema: GraphQLSchema,
  {
    operation,
    fragments,
    variables,
  }: {
    readonly operation: OperationDefinitionNode
    readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
    readonly variables: Readonly<Record<string, unknown>>
  },
): number {
  const costOf = (set: SelectionSetNode | undefined, type: GraphQLNamedType): number => {
    if (!set || !isObjectType(type)) return 0
    const costs = set.selections.map((selection) => {
      // Types of tables have no kinds of their own.
      if (selection.kind === Kind.INLINE_FRAGMENT) return costOf(selection.selectionSet, type)
      if (selection.kind === Kind.FRAGMENT_SPREAD)
        return costOf(fragments.get(selection.name.value)?.selectionSet, type)
      const field = type.getFields()[selection.name.value]
      // Of the schema itself: depth bounds it.
      if (!field) return 0
      const below = costOf(selection.selectionSet, getNamedType(field.type))
      const { cost } = field.extensions as FieldCost
      return cost ? cost(getArgumentValues(field, selection, variables) as { first?: number }, below) : below
    })
    return costs.reduce((a, b) => a + b, 0)
  }
  return costOf(operation.selectionSet, schema.getQueryType()!)
}
