// The plan of a state table, which every store works from: `planFold` creates it from a checked declaration.

import type { ColumnKind } from "./column.js"
import type { TableIndex } from "./index-name.js"
import type { Aggregate } from "./worker-definition.js"

export type FoldEnd = "first" | "last"
export type FoldLiteral = string | number | boolean

/** An expression with the kind of its value known. */
export type FoldExpression =
  | {
      readonly of: "column" | "negate" | "day"
      readonly column: string
      readonly kind: ColumnKind
      readonly nullable: boolean
    }
  | { readonly of: "literal"; readonly literal: FoldLiteral; readonly kind: ColumnKind }

export interface FoldCondition {
  readonly column: string
  readonly kind: ColumnKind
  /** "isNot" holds for null too, unless it is null that is excluded. */
  readonly test: "is" | "isNot"
  readonly value: FoldLiteral | null
}

export interface NamedKind {
  readonly name: string
  readonly kind: ColumnKind
}

export interface PlannedColumn extends NamedKind {
  readonly aggregate: Aggregate
}

export interface PlannedSource {
  readonly table: string
  /** Of two rows at one position, that of the earlier source comes first. */
  readonly ordinal: number
  readonly where: readonly FoldCondition[]
  /** One for each key column, in their order. */
  readonly key: readonly FoldExpression[]
  readonly set: ReadonlyMap<string, FoldExpression>
  readonly seen: boolean
  /** The table's own key and indexes. */
  readonly indexed: readonly (readonly string[])[]
}

export interface FoldPlan {
  readonly worker: string
  readonly table: string
  readonly key: readonly NamedKind[]
  readonly columns: readonly PlannedColumn[]
  readonly ends: readonly FoldEnd[]
  /** Empty when no end is tracked. */
  readonly position: readonly NamedKind[]
  readonly sources: readonly PlannedSource[]
  /**
   * Statements by what their text depends on, as far as they were needed: a rollback needs a dozen of some kilobytes, and
   * building them took longer than sending them.
   */
  readonly undoTexts: Map<string, UndoText>
}

export interface UndoText {
  readonly text: string
  /** Set if the server may keep the plan. All single blocks select about as much; longer ranges differ too much. */
  readonly name: string | undefined
}

/** Every column of the state table, in the order of creation. */
export const stateColumns = (plan: FoldPlan): readonly (NamedKind & { readonly nullable: boolean })[] => [
  ...plan.key.map((column) => ({ ...column, nullable: false })),
  ...plan.columns.map(({ name, kind, aggregate }) => ({ name, kind, nullable: aggregate !== "sum" })),
  { name: "event_rows", kind: "int8", nullable: false },
  // A key with only unseen rows has no ends.
  ...plan.ends.flatMap((end) =>
    plan.position.map(({ name, kind }) => ({ name: endColumn(end, name), kind, nullable: true })),
  ),
]

/** "last_block_height" and the like. */
export const endColumn = (end: FoldEnd, column: string): string => `${end}_${column}`

export const columnsOf = (plan: FoldPlan, ...aggregates: readonly Aggregate[]): readonly PlannedColumn[] =>
  plan.columns.filter((column) => aggregates.includes(column.aggregate))

/**
 * The indexes that undo needs on event tables, so that finding another first, last, min or max is one probe for each key.
 * Without those that are a prefix of the table's key or of a declared index.
 */
export function foldIndexes(plan: FoldPlan): readonly TableIndex[] {
  const needed: TableIndex[] = []
  for (const source of plan.sources) {
    const key = source.key.flatMap((expression) => (expression.of === "column" ? [expression.column] : []))
    const wanted = [
      ...(source.seen && plan.ends.length > 0 ? [plan.position.map(({ name }) => name)] : []),
      ...columnsOf(plan, "min", "max").flatMap(({ name }) => {
        const expression = source.set.get(name)
        return expression?.of === "column" ? [[expression.column]] : []
      }),
    ]
    for (const rest of wanted) {
      // A position column that is also a key column has one value for each key, so it does not order anything.
      const columns = [...key, ...rest.filter((name) => !key.includes(name))]
      const there = [
        ...source.indexed,
        ...needed.filter(({ table }) => table === source.table).map((index) => index.columns),
      ]
      if (!there.some((index) => columns.every((name, at) => index[at] === name)))
        needed.push({ table: source.table, columns })
    }
  }
  return needed
}
