// A state table's declaration, checked against the event tables it reads and put into the one form that every store
// works from. What passes here can be applied in any order and undone exactly; everything else is refused by name.

import { IndexerError } from "../platform/errors.js"
import type { ColumnKind } from "./column.js"
import {
  type Aggregate,
  type Condition,
  defaultPosition,
  type EventTable,
  type Expression,
  type FoldSource,
  type StateTable,
} from "./worker-definition.js"

export type FoldEnd = "first" | "last"
export type FoldLiteral = string | number | boolean

/** An expression with its kinds known: what it reads, and what comes out. */
export type FoldExpression =
  | {
      readonly of: "column" | "negate" | "day"
      readonly column: string
      readonly from: ColumnKind
      readonly kind: ColumnKind
      readonly nullable: boolean
    }
  | {
      readonly of: "literal"
      readonly literal: FoldLiteral
      readonly kind: ColumnKind
      readonly nullable: false
    }

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
}

export interface FoldDeclaration {
  readonly worker: string
  readonly table: string
  readonly state: StateTable
  /** By name: the event tables of the worker and of those it depends on. */
  readonly events: Readonly<Record<string, EventTable>>
}

const integers: readonly ColumnKind[] = ["int2", "int4", "int8"]
const numbers: readonly ColumnKind[] = [...integers, "amount", "numeric"]
/** What min and max take: kinds that order alike in every database and in JavaScript. Text orders by collation. */
const comparable: readonly ColumnKind[] = [...numbers, "timestamp", "date"]

export function planFold(declaration: FoldDeclaration): FoldPlan {
  const { worker, table, state, events } = declaration
  const refuse = refuser(declaration)
  const key = Object.entries(state.key).map(([name, column]) => {
    if (column.nullable) throw refuse(name, "is a key column and cannot be nullable")
    return { name, kind: column.kind }
  })
  if (key.length === 0) throw refuse(undefined, "has no key")
  const columns = Object.entries(state.columns).map(([name, column]) => ({ name, ...column }))
  const ends = (["first", "last"] as const).filter((end) => state.track?.includes(end))
  const position = ends.length === 0 ? [] : planPosition(declaration)
  assertNames(declaration, { position, ends })
  for (const column of columns) assertColumn(declaration, { column, ends })

  if (state.sources.length === 0) throw refuse(undefined, "has no sources")
  const sources = state.sources.map((source, ordinal) => {
    const event = events[source.table]
    if (!event)
      throw refuse(
        undefined,
        `reads ${source.table}, which is no event table of ${worker} or of a worker it depends on`,
      )
    if (event.key[0] !== "block_height" || event.columns["block_height"]?.kind !== "int8")
      throw refuse(undefined, `reads ${source.table}, whose key does not start with block_height as int8`)
    return planSource(declaration, { source, ordinal, event, key, columns })
  })
  const plan: FoldPlan = { worker, table, key, columns, ends, position, sources }
  assertSet(declaration, plan)
  assertProbes(declaration, plan)
  return plan
}

/** Every column of the state table, in the order it is to be created with. */
export function stateColumns(plan: FoldPlan): readonly (NamedKind & { readonly nullable: boolean })[] {
  // A key that only unseen rows speak of has no ends.
  const nullableEnds = plan.sources.some((source) => !source.seen)
  return [
    ...plan.key.map((column) => ({ ...column, nullable: false })),
    ...plan.columns.map(({ name, kind, aggregate }) => ({ name, kind, nullable: aggregate !== "sum" })),
    { name: "event_rows", kind: "int8", nullable: false },
    ...plan.ends.flatMap((end) =>
      plan.position.map(({ name, kind }) => ({ name: endColumn(end, name), kind, nullable: nullableEnds })),
    ),
  ]
}

/** "last_block_height" and the like. */
export const endColumn = (end: FoldEnd, column: string): string => `${end}_${column}`

export const columnsOf = (plan: FoldPlan, ...aggregates: readonly Aggregate[]): readonly PlannedColumn[] =>
  plan.columns.filter((column) => aggregates.includes(column.aggregate))

function planPosition({ worker, table, state, events }: FoldDeclaration): NamedKind[] {
  const refuse = refuser({ worker, table })
  const names = state.position ?? defaultPosition
  if (names[0] !== "block_height")
    throw refuse(undefined, "has a position that does not start with block_height")
  if (new Set(names).size < names.length) throw refuse(undefined, "names a column of its position twice")
  const seen = state.sources.filter((source) => source.seen !== false)
  if (seen.length === 0) throw refuse(undefined, "tracks an end, but none of its sources is seen")
  return names.map((name) => {
    const kinds = new Set<ColumnKind>()
    for (const source of seen) {
      const column = events[source.table]?.columns[name]
      // A table that is not there is reported as such, with its source.
      if (!events[source.table]) continue
      if (!column || column.nullable || !integers.includes(column.kind))
        throw refuse(
          name,
          `is part of the position, but is no integer column of ${source.table} that is never null`,
        )
      kinds.add(column.kind)
    }
    if (kinds.size > 1)
      throw refuse(name, `is part of the position, but differs in kind: ${[...kinds].join(", ")}`)
    return { name, kind: [...kinds][0] ?? "int8" }
  })
}

function assertNames(
  declaration: FoldDeclaration,
  { position, ends }: { position: readonly NamedKind[]; ends: readonly FoldEnd[] },
): void {
  const refuse = refuser(declaration)
  const taken = new Set([
    "event_rows",
    ...ends.flatMap((end) => position.map(({ name }) => endColumn(end, name))),
  ])
  for (const name of Object.keys(declaration.state.key)) {
    if (taken.has(name)) throw refuse(name, "is the name of a column that every such table has")
    taken.add(name)
  }
  for (const name of Object.keys(declaration.state.columns)) {
    if (name in declaration.state.key) throw refuse(name, "is both a key and a value column")
    if (taken.has(name)) throw refuse(name, "is the name of a column that every such table has")
  }
}

function assertColumn(
  declaration: FoldDeclaration,
  { column, ends }: { column: PlannedColumn; ends: readonly FoldEnd[] },
): void {
  const refuse = refuser(declaration)
  const { name, aggregate, kind } = column
  if (aggregate === "sum" && kind !== "numeric" && kind !== "int8")
    throw refuse(name, `is a sum of kind ${kind}: sums are numeric or int8`)
  if ((aggregate === "min" || aggregate === "max") && !comparable.includes(kind))
    throw refuse(name, `is a ${aggregate} of kind ${kind}: only ${comparable.join(", ")} are compared`)
  if ((aggregate === "first" || aggregate === "last") && !ends.includes(aggregate))
    throw refuse(name, `is the ${aggregate} of its rows, but the table does not track ${aggregate}`)
}

function planSource(
  declaration: FoldDeclaration,
  given: {
    source: FoldSource
    ordinal: number
    event: EventTable
    key: readonly NamedKind[]
    columns: readonly PlannedColumn[]
  },
): PlannedSource {
  const { source, ordinal, event, key, columns } = given
  const refuse = refuser(declaration)
  const context = { declaration, source, event }
  for (const name of Object.keys(source.key))
    if (!key.some((column) => column.name === name))
      throw refuse(name, `is given by ${source.table}, but is no key column`)
  const set = new Map<string, FoldExpression>()
  for (const [name, expression] of Object.entries(source.set ?? {})) {
    const column = columns.find((each) => each.name === name)
    if (!column) throw refuse(name, `is set by ${source.table}, but is no value column`)
    set.set(name, planValue(context, { column, expression }))
  }
  return {
    table: source.table,
    ordinal,
    where: Object.entries(source.where ?? {}).map(([name, condition]) =>
      planCondition(context, { name, condition }),
    ),
    key: key.map((column) => {
      const expression = source.key[column.name]
      if (expression === undefined)
        throw refuse(column.name, `is a key column that ${source.table} does not give`)
      const planned = planExpression(context, { name: column.name, expression, literalKind: column.kind })
      if (planned.of === "negate")
        throw refuse(column.name, "is a key column: only sums take a negated column")
      if (planned.kind !== column.kind)
        throw refuse(column.name, `is ${column.kind}, but ${source.table} gives ${planned.kind}`)
      return planned
    }),
    set,
    seen: source.seen !== false,
    indexed: [event.key, ...(event.indexes ?? [])],
  }
}

interface SourceContext {
  readonly declaration: FoldDeclaration
  readonly source: FoldSource
  readonly event: EventTable
}

function planValue(
  context: SourceContext,
  { column, expression }: { column: PlannedColumn; expression: Expression },
): FoldExpression {
  const refuse = refuser(context.declaration)
  const { name, kind, aggregate } = column
  const planned = planExpression(context, { name, expression, literalKind: kind })
  if (aggregate === "sum") {
    // Amounts reach 2^256: an int8 sum of them would make a hostile token's block impossible to store.
    const summable = kind === "int8" ? integers : numbers
    if (!summable.includes(planned.kind))
      throw refuse(
        name,
        `is a sum of kind ${kind}, which cannot add up ${planned.kind} of ${context.source.table}`,
      )
    return planned
  }
  if (planned.of === "negate") throw refuse(name, `is a ${aggregate}: only sums take a negated column`)
  if ((aggregate === "min" || aggregate === "max") && planned.of !== "column")
    throw refuse(name, `is a ${aggregate}, which is undone with an index of a plain column`)
  if (planned.kind !== kind)
    throw refuse(name, `is ${kind}, but ${context.source.table} gives ${planned.kind}`)
  if ((aggregate === "first" || aggregate === "last") && context.source.seen === false)
    throw refuse(name, `is the ${aggregate} of its rows, but ${context.source.table} is not seen`)
  return planned
}

function planExpression(
  { declaration, source, event }: SourceContext,
  { name, expression, literalKind }: { name: string; expression: Expression; literalKind: ColumnKind },
): FoldExpression {
  const refuse = refuser(declaration)
  if (typeof expression === "object" && "literal" in expression) {
    const { literal } = expression
    if (!fitsKind(literal, literalKind))
      throw refuse(name, `is ${literalKind}, which ${JSON.stringify(literal)} is not`)
    return { of: "literal", literal, kind: literalKind, nullable: false }
  }
  const column =
    typeof expression === "string" ? expression : "negate" in expression ? expression.negate : expression.day
  const read = event.columns[column]
  if (!read) throw refuse(name, `takes ${column}, which is no column of ${source.table}`)
  const from = { column, from: read.kind, nullable: read.nullable }
  if (typeof expression === "string") return { of: "column", ...from, kind: read.kind }
  if ("day" in expression) {
    if (read.kind !== "timestamp") throw refuse(name, `takes the day of ${column}, which is ${read.kind}`)
    return { of: "day", ...from, kind: "date" }
  }
  if (!numbers.includes(read.kind)) throw refuse(name, `negates ${column}, which is ${read.kind}`)
  return { of: "negate", ...from, kind: read.kind }
}

function planCondition(
  { declaration, source, event }: SourceContext,
  { name, condition }: { name: string; condition: Condition },
): FoldCondition {
  const refuse = refuser(declaration)
  const column = event.columns[name]
  if (!column) throw refuse(name, `is compared by a condition, but is no column of ${source.table}`)
  const [test, value] =
    "is" in condition ? (["is", condition.is] as const) : (["isNot", condition.isNot] as const)
  if (value !== null && !fitsKind(value, column.kind))
    throw refuse(name, `of ${source.table} is ${column.kind}, which ${JSON.stringify(value)} is not`)
  return { column: name, kind: column.kind, test, value }
}

const widths: Partial<Record<ColumnKind, bigint>> = { int2: 1n << 15n, int4: 1n << 31n, int8: 1n << 63n }

/** Whether a literal is a value of the kind. Dates and timestamps have none. */
function fitsKind(literal: FoldLiteral, kind: ColumnKind): boolean {
  if (kind === "bool") return typeof literal === "boolean"
  if (kind === "text") return typeof literal === "string" && !literal.includes("\0")
  if (kind === "bytes") return typeof literal === "string" && /^0x([0-9a-f]{2})*$/i.test(literal)
  if (!numbers.includes(kind)) return false
  if (typeof literal === "number" ? !Number.isSafeInteger(literal) : !/^-?\d{1,78}$/.test(String(literal)))
    return false
  const value = BigInt(literal)
  const width = widths[kind]
  return width === undefined || (value >= -width && value < width)
}

/** Each value comes from somewhere; a first or last from every row that can be first or last. */
function assertSet(declaration: FoldDeclaration, plan: FoldPlan): void {
  const refuse = refuser(declaration)
  for (const { name, aggregate } of plan.columns) {
    if (!plan.sources.some((source) => source.set.has(name)))
      throw refuse(name, "is set by none of its sources")
    if (aggregate !== "first" && aggregate !== "last") continue
    const silent = plan.sources.find((source) => source.seen && !source.set.has(name))
    if (silent)
      throw refuse(
        name,
        `is the ${aggregate} of its rows, but ${silent.table}, which is seen, does not set it`,
      )
  }
}

/** Undo finds a first, last, min or max again through an index, so the key has to stand in the event row as it is. */
function assertProbes(declaration: FoldDeclaration, plan: FoldPlan): void {
  const refuse = refuser(declaration)
  const values = columnsOf(plan, "first", "last")
  for (const source of plan.sources) {
    const compared = columnsOf(plan, "min", "max").some(({ name }) => source.set.has(name))
    const tracked = plan.ends.length > 0 && source.seen
    const computed = source.key.findIndex((expression) => expression.of !== "column")
    if (computed >= 0 && (tracked || compared))
      throw refuse(
        plan.key[computed]!.name,
        `has to be a plain column of ${source.table}, since the table ${tracked ? "tracks its ends" : "has a min or max"}`,
      )
    if (!tracked || values.length === 0) continue
    // Two rows of one key and position would leave open whose value is the first or last.
    const fixed = new Set([
      ...plan.position.map(({ name }) => name),
      ...source.key.flatMap((expression) => (expression.of === "column" ? [expression.column] : [])),
    ])
    const loose = source.indexed[0]!.find((name) => !fixed.has(name))
    if (loose !== undefined)
      throw refuse(
        values[0]!.name,
        `is ambiguous: rows of ${source.table} can share a position and differ in ${loose}; add it to the position`,
      )
  }
}

const refuser =
  ({ worker, table }: Pick<FoldDeclaration, "worker" | "table">) =>
  (column: string | undefined, why: string): IndexerError =>
    new IndexerError(
      "CONFIG_INVALID",
      `worker ${worker}: state table ${table}${column === undefined ? "" : `: column ${column}`} ${why}`,
      { data: { worker, table, ...(column === undefined ? {} : { column }) } },
    )
