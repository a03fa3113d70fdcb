// A query as a function: sources in nested loops, then what is asked of each row; rows that are to be locked are locked last, all or none.

import { type Compiled, type Compiler, type Context, compileExpression, Scope } from "./compile-expression.js"
import type { ModelRow, TableShape, Values } from "./model-table.js"
import { MustWait } from "./model-transaction.js"
import { rowMaker } from "./row-code.js"
import type { Expression, Output, Select, Source, SqlType } from "./sql-syntax.js"
import { coerce } from "./sql-values.js"

export interface CompiledSelect {
  readonly names: readonly string[]
  readonly types: readonly SqlType[]
  readonly correlated: boolean
  readonly run: (context: Context) => unknown[][]
  readonly exists: (context: Context) => boolean
}

/** Calls `emit` for each row of the sources; true from it ends the scan. */
type Scan = (context: Context, emit: () => boolean) => boolean

const none: readonly unknown[] = []

const sessionColumns: Readonly<Record<string, SqlType>> = { pid: "int4", backend_start: "timestamptz" }

export function compileSelect(compiler: Compiler, select: Select, outer: Scope | undefined): CompiledSelect {
  const scope = new Scope(outer)
  const { writer } = compiler
  const scan = compileSources(compiler, scope, select)
  const where = select.where && test(compiler, scope, select.where)
  const outputs = expandStars(scope, select.outputs)
  const aggregate = outputs.length === 1 ? compileAggregate(compiler, scope, outputs[0]!) : undefined
  const columns = aggregate ? [] : outputs.map(({ expression }) => compileExpression(compiler, scope, expression))
  const types = aggregate ? [aggregate.type] : columns.map(({ type }) => type)
  const names = outputs.map(({ name }) => name)
  const order = compileOrder(compiler, scope, { keys: select.orderBy, outputs, columns })
  const valuesOf = writer.function<Context, unknown[]>(`[${columns.map(({ code }) => code).join(", ")}]`)
  const keysOf = writer.function<Context, unknown[]>(`[${order.join(", ")}]`)
  const limit =
    select.limit && writer.function<Context, unknown>(compileExpression(compiler, scope, select.limit).code)
  const lockSlot = select.lock && lockedSlot(scope, select.lock.of)

  const run = (context: Context): unknown[][] => {
    if (aggregate) {
      const state = aggregate.begin()
      scan(context, () => {
        if (!where || where(context) === true) state.add(context)
        return false
      })
      return [[state.end()]]
    }
    const most = limit ? Number(limit(context)) : Number.POSITIVE_INFINITY
    if (order.length === 0 && !select.lock && !select.distinct) {
      const found: unknown[][] = []
      scan(context, () => {
        if (where && where(context) !== true) return false
        return found.push(valuesOf(context)) >= most
      })
      return found
    }
    const rows: { values: unknown[]; keys: readonly unknown[]; row: ModelRow | undefined }[] = []
    scan(context, () => {
      if (where && where(context) !== true) return false
      rows.push({
        values: valuesOf(context),
        keys: order.length === 0 ? none : keysOf(context),
        row: lockSlot === undefined ? undefined : context.found[lockSlot],
      })
      return order.length === 0 && rows.length >= most
    })
    if (order.length > 0) rows.sort((a, b) => compareKeys(a.keys, b.keys))
    let kept = rows.length > most ? rows.slice(0, most) : rows
    if (select.lock) {
      const { transaction } = context
      const isFree = ({ row }: { row: ModelRow | undefined }): boolean => !row!.holder || row!.holder === transaction
      if (select.lock.skipLocked) {
        context.server.endSilent(kept.flatMap(({ row }) => row!.holder ?? []))
        kept = kept.filter(isFree)
      }
      for (const one of kept) if (!isFree(one)) throw new MustWait(one.row!.holder!)
      for (const { row } of kept) transaction.hold(row!)
    }
    const values = kept.map((one) => one.values)
    return select.distinct ? distinct(values) : values
  }
  return {
    names,
    types,
    get correlated() {
      return scope.correlated
    },
    run,
    exists: (context) => scan(context, () => !where || where(context) === true),
  }
}

const test = (compiler: Compiler, scope: Scope, expression: Expression): ((context: Context) => unknown) =>
  compiler.writer.function(compileExpression(compiler, scope, expression).code)

/** The rows of a table that a statement changes, with what else it joins. */
export function compileTarget(
  compiler: Compiler,
  options: { table: string; alias: string; using: readonly Source[]; where: Expression | undefined },
): { scope: Scope; slot: number; find: (context: Context) => { row: ModelRow; values: Values }[] } {
  const scope = new Scope()
  const sources: Source[] = [
    { join: "cross", on: undefined, alias: options.alias, from: { kind: "table", name: options.table } },
    ...options.using,
  ]
  const scan = compileSources(compiler, scope, { sources, where: options.where })
  const where = options.where && test(compiler, scope, options.where)
  const { slot } = scope.entries[0]!
  return {
    scope,
    slot,
    find: (context) => {
      const targets: { row: ModelRow; values: Values }[] = []
      scan(context, () => {
        if (!where || where(context) === true) targets.push({ row: context.found[slot]!, values: context.rows[slot]! })
        return false
      })
      const { transaction } = context
      for (const { row } of targets) if (row.holder && row.holder !== transaction) throw new MustWait(row.holder)
      return targets
    },
  }
}

function compileSources(
  compiler: Compiler,
  scope: Scope,
  { sources, where }: { sources: readonly Source[]; where: Expression | undefined },
): Scan {
  const levels = sources.map((source) => compileSource(compiler, scope, { source, where }))
  if (levels.length === 0) return (_, emit) => emit()
  const [first] = levels
  if (levels.length === 1 && !first!.on && !first!.isLeft) return first!.scan
  return (context, emit) => {
    const descend = (level: number): boolean => {
      if (level === levels.length) return emit()
      const { scan, on, slot, isLeft } = levels[level]!
      let matched = false
      const ended = scan(context, () => {
        if (on && on(context) !== true) return false
        matched = true
        return descend(level + 1)
      })
      if (ended || matched || !isLeft) return ended
      context.rows[slot] = undefined
      context.found[slot] = undefined
      return descend(level + 1)
    }
    return descend(0)
  }
}

interface Level {
  readonly scan: Scan
  readonly on: ((context: Context) => unknown) | undefined
  readonly slot: number
  readonly isLeft: boolean
}

function compileSource(
  compiler: Compiler,
  scope: Scope,
  { source, where }: { source: Source; where: Expression | undefined },
): Level {
  return {
    ...compileRows(compiler, scope, { source, where }),
    on: source.on && test(compiler, scope, source.on),
    isLeft: source.join === "left",
  }
}

function compileRows(
  compiler: Compiler,
  scope: Scope,
  { source: { from, alias }, where }: { source: Source; where: Expression | undefined },
): Omit<Level, "on" | "isLeft"> {
  if (from.kind === "unnest") {
    const args = from.args.map((one) => compileExpression(compiler, scope, one))
    const { slot } = scope.add(alias, Object.fromEntries(from.columns.map((name, at) => [name, args[at]!.type])))
    const make = rowMaker(from.columns)
    const listsOf = compiler.writer.function<Context, unknown[][]>(`[${args.map(({ code }) => code).join(", ")}]`)
    const rowsOf = (context: Context): Values[] => {
      const lists = listsOf(context)
      return (lists[0] ?? []).map((_, at) => make(lists.map((list) => list[at])))
    }
    return { slot, scan: scanOf(slot, rowsOf) }
  }
  if (from.kind === "select") {
    const select = compiler.select(from.select, scope)
    const { slot } = scope.add(alias, Object.fromEntries(select.names.map((name, at) => [name, select.types[at]!])))
    const make = rowMaker(select.names)
    return { slot, scan: scanOf(slot, (context) => select.run(context).map(make)) }
  }
  if (from.name === "pg_stat_activity") {
    const { slot } = scope.add(alias, sessionColumns)
    return { slot, scan: scanOf(slot, ({ server }) => server.sessions()) }
  }
  const shape = compiler.shapes(from.name)
  const { slot } = scope.add(alias, shape.columns)
  return { slot, scan: tableScan({ name: from.name, shape, alias, slot, conjuncts: conjunctsOf(where) }) }
}

const scanOf =
  (slot: number, rowsOf: (context: Context) => Iterable<Values>): Scan =>
  (context, emit) => {
    for (const row of rowsOf(context)) {
      context.rows[slot] = row
      if (emit()) return true
    }
    return false
  }

function tableScan({
  name,
  shape,
  alias,
  slot,
  conjuncts,
}: {
  name: string
  shape: TableShape
  alias: string
  slot: number
  conjuncts: readonly Expression[]
}): Scan {
  const isOwn = (one: Expression, column: string): boolean =>
    one.kind === "column" && one.name === column && (one.of === undefined || one.of === alias)
  const key = shape.keyColumn
  const byKey = conjuncts
    .map((one) => {
      if (key === undefined || one.kind !== "binary" || one.op !== "=" || !isOwn(one.left, key)) return undefined
      const value = one.right.kind === "cast" ? one.right.of : one.right
      return value.kind === "param" ? value.at : undefined
    })
    .find((at) => at !== undefined)
  if (byKey !== undefined) {
    const type = shape.columns[key!]!
    return (context, emit) => {
      const row = context.server.table(name).rows.get(coerce(context.params[byKey], type) as string | number)
      return row ? offer(context, { row, slot, emit }) : false
    }
  }
  const isHot =
    shape.exclusive === true &&
    conjuncts.some(
      (one) =>
        one.kind === "binary" &&
        isOwn(one.left, "status") &&
        one.right.kind === "literal" &&
        (one.op === "<>" ? one.right.value === "COMPLETED" : one.op === "=" && one.right.value !== "COMPLETED"),
    )
  return (context, emit) => {
    const table = context.server.table(name)
    for (const row of isHot ? table.hot : table.rows.values()) if (offer(context, { row, slot, emit })) return true
    return false
  }
}

function offer(context: Context, { row, slot, emit }: { row: ModelRow; slot: number; emit: () => boolean }): boolean {
  const values = row.seenBy(context.transaction)
  if (!values) return false
  context.rows[slot] = values
  context.found[slot] = row
  return emit()
}

function conjunctsOf(where: Expression | undefined): readonly Expression[] {
  if (!where) return []
  if (where.kind === "binary" && where.op === "and") return [...conjunctsOf(where.left), ...conjunctsOf(where.right)]
  return [where]
}

function expandStars(scope: Scope, outputs: readonly Output[]): { expression: Expression; name: string }[] {
  return outputs.flatMap(({ expression, name }) =>
    expression === "*"
      ? scope.entries.flatMap(({ alias, columns }) =>
          Object.keys(columns).map((column) => ({
            expression: { kind: "column", of: alias, name: column } as const,
            name: column,
          })),
        )
      : [{ expression, name }],
  )
}

interface Aggregate {
  readonly type: SqlType
  begin(): { add(context: Context): void; end(): unknown }
}

function compileAggregate(
  compiler: Compiler,
  scope: Scope,
  { expression }: { expression: Expression },
): Aggregate | undefined {
  if (expression.kind !== "call" || !["json_agg", "max", "count"].includes(expression.name)) return undefined
  if (expression.name === "count") {
    return {
      type: "int8",
      begin: () => {
        let rows = 0
        return { add: () => rows++, end: () => rows }
      },
    }
  }
  const of = compileExpression(compiler, scope, expression.args[0]!)
  const evaluate = compiler.writer.function<Context, unknown>(of.code)
  if (expression.name === "max") {
    return {
      type: of.type,
      begin: () => {
        let most: number | null = null
        return {
          add: (context) => {
            const value = evaluate(context) as number | null
            if (value !== null && (most === null || value > most)) most = value
          },
          end: () => most,
        }
      },
    }
  }
  const keys = expression.orderBy.map((one) => compileExpression(compiler, scope, one).code)
  const keysOf = compiler.writer.function<Context, unknown[]>(`[${keys.join(", ")}]`)
  return {
    type: "json",
    begin: () => {
      const rows: { value: unknown; keys: unknown[] }[] = []
      return {
        add: (context) => {
          rows.push({ value: evaluate(context), keys: keysOf(context) })
        },
        end: () => {
          if (rows.length === 0) return null
          if (keys.length > 0) rows.sort((a, b) => compareKeys(a.keys, b.keys))
          return rows.map(({ value }) => value)
        },
      }
    },
  }
}

function compileOrder(
  compiler: Compiler,
  scope: Scope,
  {
    keys,
    outputs,
    columns,
  }: { keys: readonly Expression[]; outputs: readonly { name: string }[]; columns: readonly Compiled[] },
): string[] {
  return keys.map((key) => {
    const at = key.kind === "column" && key.of === undefined ? outputs.findIndex(({ name }) => name === key.name) : -1
    return (at >= 0 ? columns[at]! : compileExpression(compiler, scope, key)).code
  })
}

function lockedSlot(scope: Scope, of: string | undefined): number {
  return (of === undefined ? scope.entries[0] : scope.entries.find(({ alias }) => alias === of))!.slot
}

function compareKeys(a: readonly unknown[], b: readonly unknown[]): number {
  for (let at = 0; at < a.length; at++) {
    const [x, y] = [a[at] as number, b[at] as number]
    if (x !== y) return x < y ? -1 : 1
  }
  return 0
}

function distinct(rows: unknown[][]): unknown[][] {
  const seen = new Set<string>()
  return rows.filter((row) => {
    const text = row.join()
    if (seen.has(text)) return false
    seen.add(text)
    return true
  })
}
