// Checks a state table's declaration against the event tables it reads, and plans its fold. What passes can be applied in
// any order and undone exactly; everything else is refused by name. The only definition of a valid fold.

import type { IndexerError } from "../platform/errors.js"
import { checkIndexes, refuse as refuseDeclaration } from "./check-worker.js"
import type { ColumnKind } from "./column.js"
import {
  columnsOf,
  endColumn,
  type FoldCondition,
  type FoldEnd,
  type FoldExpression,
  type FoldLiteral,
  type FoldPlan,
  type NamedKind,
  type PlannedColumn,
  type PlannedSource,
  stateColumns,
} from "./fold-plan.js"
import {
  type Condition,
  defaultPosition,
  type EventTable,
  type Expression,
  type FoldSource,
  type StateTable,
} from "./worker-definition.js"

export interface FoldDeclaration {
  readonly worker: string
  readonly table: string
  readonly state: StateTable
  /** By name: the event tables of the worker and of those it depends on. */
  readonly events: ReadonlyMap<string, EventTable>
}

const integers: readonly ColumnKind[] = ["int2", "int4", "int8"]
const numbers: readonly ColumnKind[] = [...integers, "amount", "numeric"]
/** What min and max take: kinds that order alike in every database and in JavaScript. Text orders by collation. */
const comparable: readonly ColumnKind[] = [...numbers, "timestamp", "date"]

type Refuse = (column: string | undefined, what: string) => IndexerError

/** Throws CONFIG_INVALID. Names and kinds of columns have been checked. */
export function planFold({ worker, table, state, events }: FoldDeclaration): FoldPlan {
  const refuse: Refuse = (column, what) => refuseDeclaration({ worker, table, column }, what)
  const key = Object.entries(state.key).map(([name, column]) => {
    if (column.nullable) throw refuse(name, "is a key column and cannot be nullable")
    return { name, kind: column.kind }
  })
  if (key.length === 0) throw refuse(undefined, "has no key")
  if (state.sources.length === 0) throw refuse(undefined, "never gets a row, as it has no source")
  const reads = state.sources.map((source) => {
    const event = events.get(source.table)
    if (event) return { source, event }
    const known = [...events.keys()].join(", ") || "none, as there is no such table"
    const what = `folds ${JSON.stringify(source.table)}, which is no event table of the worker or of a dependency`
    throw refuseDeclaration({ worker, table }, what, known)
  })
  const ends = (["first", "last"] as const).filter((end) => state.track?.includes(end))
  const position = ends.length === 0 ? [] : planPosition(refuse, state.position ?? defaultPosition, reads)
  const columns = Object.entries(state.columns).map(([name, column]) => ({ name, ...column }))
  for (const column of columns) checkColumn(refuse, column, ends)
  const plan: FoldPlan = {
    ...{ worker, table, key, columns, ends, position, undoTexts: new Map() },
    sources: reads.map(({ source, event }, ordinal) =>
      planSource({ refuse, source, event }, { ordinal, key, columns }),
    ),
  }
  checkNames(refuse, plan)
  checkSet(refuse, plan)
  checkProbes(refuse, plan)
  const names = stateColumns(plan).map(({ name }) => name)
  checkIndexes({ worker, table }, state.indexes, names)
  return plan
}

interface Read {
  readonly source: FoldSource
  readonly event: EventTable
}

function planPosition(refuse: Refuse, names: readonly string[], reads: readonly Read[]): NamedKind[] {
  if (names[0] !== "block_height") throw refuse(undefined, "has a position that does not start with block_height")
  if (new Set(names).size < names.length) throw refuse(undefined, "names a column of its position twice")
  const seen = reads.filter(({ source }) => source.seen !== false)
  if (seen.length === 0) throw refuse(undefined, "tracks an end, but none of its sources is seen")
  return names.map((name) => {
    const kinds = seen.map(({ source, event }) => {
      const column = columnOf(event, name)
      if (column && !column.nullable && integers.includes(column.kind)) return column.kind
      throw refuse(name, `is part of the position, but is no integer column of ${source.table} that is never null`)
    })
    if (new Set(kinds).size > 1)
      throw refuse(name, `is part of the position, but differs in kind: ${kinds.join(", ")}`)
    return { name, kind: kinds[0]! }
  })
}

function checkColumn(refuse: Refuse, column: PlannedColumn, ends: readonly FoldEnd[]): void {
  const { name, aggregate, kind } = column
  if (aggregate === "sum" && kind !== "numeric" && kind !== "int8")
    throw refuse(name, `is a sum of kind ${kind}: sums are numeric or int8`)
  if ((aggregate === "min" || aggregate === "max") && !comparable.includes(kind))
    throw refuse(name, `is a ${aggregate} of kind ${kind}: only ${comparable.join(", ")} are compared`)
  if ((aggregate === "first" || aggregate === "last") && !ends.includes(aggregate))
    throw refuse(name, `is the ${aggregate} of its rows, but the table does not track ${aggregate}`)
}

interface SourceContext extends Read {
  readonly refuse: Refuse
}

function planSource(
  context: SourceContext,
  given: { ordinal: number; key: readonly NamedKind[]; columns: readonly PlannedColumn[] },
): PlannedSource {
  const { refuse, source, event } = context
  const { ordinal, key, columns } = given
  for (const name of Object.keys(source.key))
    if (!key.some((column) => column.name === name))
      throw refuse(name, `is given by ${source.table}, but is no key column`)
  const set = new Map<string, FoldExpression>()
  for (const [name, expression] of Object.entries(source.set ?? {})) {
    const column = columns.find((each) => each.name === name)
    if (!column) throw refuse(name, `is set by ${source.table}, but is no value column`)
    set.set(name, planValue(context, column, expression))
  }
  return {
    table: source.table,
    ordinal,
    where: Object.entries(source.where ?? {}).map(([name, condition]) => planCondition(context, name, condition)),
    key: key.map((column) => {
      const expression = source.key[column.name]
      if (expression === undefined) throw refuse(column.name, `is a key column that ${source.table} does not give`)
      const planned = planExpression(context, column, expression)
      if (planned.of === "negate") throw refuse(column.name, "is a key column: only sums take a negated column")
      if (planned.kind !== column.kind)
        throw refuse(column.name, `is ${column.kind}, but ${source.table} gives ${planned.kind}`)
      return planned
    }),
    set,
    seen: source.seen !== false,
    indexed: [event.key, ...(event.indexes ?? [])],
  }
}

function planValue(context: SourceContext, column: PlannedColumn, expression: Expression): FoldExpression {
  const { refuse, source } = context
  const { name, kind, aggregate } = column
  const planned = planExpression(context, column, expression)
  if (aggregate === "sum") {
    // Amounts reach 2^256: an int8 sum of them would make a hostile token's block impossible to store.
    const summable = kind === "int8" ? integers : numbers
    if (!summable.includes(planned.kind))
      throw refuse(name, `is a sum of kind ${kind}, which cannot add up ${planned.kind} of ${source.table}`)
    return planned
  }
  if (planned.of === "negate") throw refuse(name, `is a ${aggregate}: only sums take a negated column`)
  if ((aggregate === "min" || aggregate === "max") && planned.of !== "column")
    throw refuse(name, `is a ${aggregate}, which is undone with an index of a plain column`)
  if (planned.kind !== kind) throw refuse(name, `is ${kind}, but ${source.table} gives ${planned.kind}`)
  if ((aggregate === "first" || aggregate === "last") && source.seen === false)
    throw refuse(name, `is the ${aggregate} of its rows, but ${source.table} is not seen`)
  return planned
}

/** A literal is of the kind of the column it is for. */
function planExpression(
  { refuse, source, event }: SourceContext,
  { name, kind }: NamedKind,
  expression: Expression,
): FoldExpression {
  if (typeof expression === "object" && "literal" in expression) {
    const { literal } = expression
    if (!fitsKind(literal, kind)) throw refuse(name, `is ${kind}, which ${JSON.stringify(literal)} is not`)
    return { of: "literal", literal, kind }
  }
  const column =
    typeof expression === "string" ? expression : "negate" in expression ? expression.negate : expression.day
  const read = columnOf(event, column)
  if (!read) throw refuse(name, `takes ${column}, which is no column of ${source.table}`)
  const from = { column, nullable: read.nullable }
  if (typeof expression === "string") return { of: "column", ...from, kind: read.kind }
  if ("day" in expression) {
    if (read.kind !== "timestamp") throw refuse(name, `takes the day of ${column}, which is ${read.kind}`)
    return { of: "day", ...from, kind: "date" }
  }
  if (!numbers.includes(read.kind)) throw refuse(name, `negates ${column}, which is ${read.kind}`)
  return { of: "negate", ...from, kind: read.kind }
}

function planCondition({ refuse, source, event }: SourceContext, name: string, condition: Condition): FoldCondition {
  const column = columnOf(event, name)
  if (!column) throw refuse(name, `is compared by a condition, but is no column of ${source.table}`)
  const [test, value] = "is" in condition ? (["is", condition.is] as const) : (["isNot", condition.isNot] as const)
  if (value !== null && !fitsKind(value, column.kind))
    throw refuse(name, `of ${source.table} is ${column.kind}, which ${JSON.stringify(value)} is not`)
  return { column: name, kind: column.kind, test, value }
}

const columnOf = ({ columns }: EventTable, name: string) => (Object.hasOwn(columns, name) ? columns[name] : undefined)

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

function checkNames(refuse: Refuse, plan: FoldPlan): void {
  const made = new Set([
    "event_rows",
    ...plan.ends.flatMap((end) => plan.position.map(({ name }) => endColumn(end, name))),
  ])
  for (const { name } of [...plan.key, ...plan.columns])
    if (made.has(name)) throw refuse(name, "is the name of a column that the runtime creates")
  for (const { name } of plan.columns)
    if (plan.key.some((column) => column.name === name)) throw refuse(name, "is both a key and a value column")
}

/** Every value has a source; a first or last is set by every source that is seen. */
function checkSet(refuse: Refuse, plan: FoldPlan): void {
  for (const { name, aggregate } of plan.columns) {
    if (!plan.sources.some((source) => source.set.has(name))) throw refuse(name, "is set by none of its sources")
    if (aggregate !== "first" && aggregate !== "last") continue
    const silent = plan.sources.find((source) => source.seen && !source.set.has(name))
    if (silent)
      throw refuse(name, `is the ${aggregate} of its rows, but ${silent.table}, which is seen, does not set it`)
  }
}

/** Undo finds another first, last, min or max by an index, so the key must be a plain column of the event row. */
function checkProbes(refuse: Refuse, plan: FoldPlan): void {
  const values = columnsOf(plan, "first", "last")
  for (const source of plan.sources) {
    const compared = columnsOf(plan, "min", "max").some(({ name }) => source.set.has(name))
    const tracked = plan.ends.length > 0 && source.seen
    const computed = source.key.findIndex((expression) => expression.of !== "column")
    if (computed >= 0 && (tracked || compared))
      throw refuse(
        plan.key[computed]!.name,
        `has to be a plain column of ${source.table}, since the table ` +
          (tracked ? "tracks its ends" : "has a min or max"),
      )
    if (!tracked || values.length === 0) continue
    // With two rows of one key and position, the first or last value would be ambiguous.
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
