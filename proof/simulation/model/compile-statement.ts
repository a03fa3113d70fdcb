// A statement as a function of its parameters and of the server it runs on. Compiled once for each text. A statement that has to wait for
// a row throws, having changed nothing.

import { rangesOverlap } from "../../../src/domain/block-range.js"
import { type Compiled, type Compiler, type Context, coerced, compileExpression, Scope } from "./compile-expression.js"
import { compileSelect, compileTarget } from "./compile-select.js"
import { ModelRow, type ModelTable, type TableShape, type Values } from "./model-table.js"
import { MustWait } from "./model-transaction.js"
import { parseSql } from "./parse-sql.js"
import { CodeWriter, rowLiteral } from "./row-code.js"
import { SqlStateError } from "./sql-state-error.js"
import type { Output, Statement } from "./sql-syntax.js"
import { asDriver } from "./sql-values.js"

export interface StatementResult {
  readonly rows: Values[]
  readonly rowCount: number
}

export type CompiledStatement = (context: Context) => StatementResult

export function compileStatement(shapes: (table: string) => TableShape, sql: string): CompiledStatement {
  const compiler: Compiler = {
    shapes,
    writer: new CodeWriter(),
    select: (select, outer) => compileSelect(compiler, select, outer),
  }
  return compile(compiler, parseSql(sql))
}

function compile(compiler: Compiler, statement: Statement): CompiledStatement {
  switch (statement.kind) {
    case "with": {
      const parts = statement.parts.map((part) => compile(compiler, part))
      const last = compile(compiler, statement.last)
      return (context) => {
        for (const part of parts) part(context)
        return last(context)
      }
    }
    case "select": {
      const select = compileSelect(compiler, statement, undefined)
      const { writer } = compiler
      const columns = select.types.map((type, at) => forDriver(writer, { type, code: `p[${at}]` }))
      const make = writer.function<{ params: unknown[] }, Values>(rowLiteral(select.names, columns))
      return (context) => {
        const rows = select.run(context).map((params) => make({ params }))
        return { rows, rowCount: rows.length }
      }
    }
    case "insert":
      return compileInsert(compiler, statement)
    case "update":
      return compileUpdate(compiler, statement)
    case "delete":
      return compileDelete(compiler, statement)
  }
}

function compileInsert(compiler: Compiler, statement: Statement & { kind: "insert" }): CompiledStatement {
  const shape = compiler.shapes(statement.table)
  const { columns, ignoreConflicts } = statement
  const types = columns.map((name) => typeOf(shape, name))
  const { values } = statement
  let rowsOf: (context: Context) => unknown[][]
  if ("kind" in values) {
    const select = compileSelect(compiler, values, undefined)
    rowsOf = (context) => select.run(context)
  } else {
    const scope = new Scope()
    const codes = values.map((one) => compileExpression(compiler, scope, one).code)
    rowsOf = compiler.writer.function(`[[${codes.join(", ")}]]`)
  }
  const scope = new Scope()
  const { slot } = scope.add(statement.table, shape.columns)
  const returning = compileReturning(compiler, scope, statement.returning)
  // The columns that are given, and the others as they are by themselves.
  const names = Object.keys(shape.columns)
  const make = compiler.writer.function<{ params: unknown[]; rows: [Values] }, Values>(
    rowLiteral(
      names,
      names.map((name) => {
        const at = columns.indexOf(name)
        return at < 0 ? `(r[0].${name} ?? null)` : coerced(compiler.writer, `p[${at}]`, types[at]!)
      }),
    ),
  )
  const noDefaults: Values = {}
  return (context) => {
    const table = context.server.table(statement.table)
    const result: Values[] = []
    let rowCount = 0
    for (const given of rowsOf(context)) {
      const row = make({ params: given, rows: [shape.defaults?.(table) ?? noDefaults] })
      if (!insertRow(context, { table, row, ignoreConflicts })) continue
      rowCount++
      context.rows[slot] = row
      if (returning) result.push(returning(context))
    }
    return { rows: result, rowCount }
  }
}

/** False when a row with this key is there and that is no fault. */
export function insertRow(
  context: Pick<Context, "transaction">,
  { table, row, ignoreConflicts = false }: { table: ModelTable; row: Values; ignoreConflicts?: boolean },
): boolean {
  const { transaction } = context
  const key = table.shape.keyOf(row)
  const there = table.rows.get(key)
  // Not for one that only locked the row: whatever it does, the row is there now.
  if (there?.dirty && there.holder !== transaction) throw new MustWait(there.holder!)
  if (there?.seenBy(transaction)) {
    if (ignoreConflicts) return false
    throw new SqlStateError("23505", `${table.shape.name} has a row ${key} already`)
  }
  if (table.shape.exclusive) assertApart(context, { table, row, self: there })
  if (there) transaction.write(there, row)
  else {
    const made = new ModelRow(table, undefined)
    transaction.write(made, row, true)
    table.rows.set(key, made)
    table.hot.add(made)
  }
  return true
}

function compileUpdate(compiler: Compiler, statement: Statement & { kind: "update" }): CompiledStatement {
  const shape = compiler.shapes(statement.table)
  const target = compileTarget(compiler, { ...statement, using: [] })
  const set = new Map(
    statement.set.map(({ column, value }) => {
      const { code } = compileExpression(compiler, target.scope, value)
      return [column, coerced(compiler.writer, code, typeOf(shape, column))]
    }),
  )
  const names = Object.keys(shape.columns)
  const make = compiler.writer.function<Context, Values>(
    rowLiteral(
      names,
      names.map((name) => set.get(name) ?? `r[${target.slot}].${name}`),
    ),
  )
  const returning = compileReturning(compiler, target.scope, statement.returning)
  return (context) => {
    const found = target.find(context)
    const result: Values[] = []
    for (const { row, values } of found) {
      context.rows[target.slot] = values
      const changed = make(context)
      if (shape.exclusive) assertApart(context, { table: row.table, row: changed, self: row })
      context.transaction.write(row, changed)
      context.rows[target.slot] = changed
      if (returning) result.push(returning(context))
    }
    return { rows: result, rowCount: found.length }
  }
}

function compileDelete(compiler: Compiler, statement: Statement & { kind: "delete" }): CompiledStatement {
  const target = compileTarget(compiler, statement)
  const returning = compileReturning(compiler, target.scope, statement.returning)
  return (context) => {
    const found = target.find(context)
    const result: Values[] = []
    for (const { row, values } of found) {
      context.rows[target.slot] = values
      if (returning) result.push(returning(context))
      context.transaction.write(row, undefined)
    }
    return { rows: result, rowCount: found.length }
  }
}

/** As the exclusion constraint has it: unfinished leases of a worker never overlap. */
function assertApart(
  { transaction }: Pick<Context, "transaction">,
  { table, row, self }: { table: ModelTable; row: Values; self: ModelRow | undefined },
): void {
  if (row["status"] === "COMPLETED") return
  const clashes = (other: Values | undefined): boolean =>
    other !== undefined &&
    other["status"] !== "COMPLETED" &&
    other["worker_type"] === row["worker_type"] &&
    rangesOverlap(rangeOf(other), rangeOf(row))
  for (const other of table.hot) {
    if (other === self) continue
    // Of a row that another is changing both versions may be the one that stays.
    if (other.dirty && other.holder !== transaction) {
      if (clashes(other.committed) || clashes(other.pending)) throw new MustWait(other.holder!)
    } else if (clashes(other.seenBy(transaction))) {
      throw new SqlStateError("23P01", "unfinished leases overlap")
    }
  }
}

const rangeOf = (lease: Values): { from: number; to: number } => ({
  from: lease["from_height"] as number,
  to: lease["to_height"] as number,
})

function compileReturning(
  compiler: Compiler,
  scope: Scope,
  outputs: readonly Output[],
): ((context: Context) => Values) | undefined {
  if (outputs.length === 0) return undefined
  const columns = outputs.map(({ expression }) => {
    if (expression === "*") throw new Error("the model of Postgres does not return *")
    return forDriver(compiler.writer, compileExpression(compiler, scope, expression))
  })
  return compiler.writer.function(
    rowLiteral(
      outputs.map(({ name }) => name),
      columns,
    ),
  )
}

function forDriver(writer: CodeWriter, { type, code }: Compiled): string {
  if (type !== "int8" && type !== "int8range" && type !== "int8multirange") return `(${code} ?? null)`
  return `${writer.bind((value: unknown) => asDriver(value, type))}(${code})`
}

function typeOf({ name, columns }: TableShape, column: string) {
  const type = columns[column]
  if (!type) throw new Error(`the model of Postgres has no column ${name}.${column}`)
  return type
}
