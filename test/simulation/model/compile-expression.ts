// Expressions as functions of the rows at hand. Null is null as SQL has it; what the model does not know is refused when it is compiled.

import { type BlockRange, rangesOverlap } from "../../../src/domain/block-range.js"
import {
  contains,
  containsHeight,
  intersect,
  type RangeSet,
  rangeSet,
  subtract,
  union,
} from "../../../src/domain/range-set.js"
import type { CompiledSelect } from "./compile-select.js"
import type { ModelLock } from "./model-lock.js"
import type { ModelRow, ModelTable, TableShape, Values } from "./model-table.js"
import type { ModelTransaction } from "./model-transaction.js"
import { columnReader, rowMaker } from "./row-code.js"
import type { Expression, Select, SqlType } from "./sql-syntax.js"
import { asText, coerce, endless } from "./sql-values.js"

/** What a statement sees of the server it runs on. */
export interface ModelServer {
  readonly startedAt: number
  table(name: string): ModelTable
  lock(key: string): ModelLock
  sessions(): Iterable<Values>
  terminate(pid: number): boolean
  /** Those of them that fell silent for too long are gone by now. */
  endSilent(holders: Iterable<ModelTransaction>): void
}

export interface Context {
  readonly server: ModelServer
  readonly transaction: ModelTransaction
  readonly params: readonly unknown[]
  readonly now: number
  /** By source. */
  readonly rows: (Values | undefined)[]
  readonly found: (ModelRow | undefined)[]
  /** Advisory locks that the statement takes, in order, before it is answered. */
  readonly locks: { readonly lock: ModelLock; readonly shared: boolean }[]
  /** Of subqueries that are run once for the statement. */
  cache: Map<object, unknown> | undefined
}

export interface Compiled {
  readonly type: SqlType
  readonly run: (context: Context) => unknown
}

export interface ScopeEntry {
  readonly alias: string
  readonly slot: number
  readonly columns: Readonly<Record<string, SqlType>>
}

export class Scope {
  readonly outer: Scope | undefined
  readonly entries: ScopeEntry[] = []
  /** A column of the outer query was asked for. */
  correlated = false
  private readonly counter: { slots: number }

  constructor(outer?: Scope) {
    this.outer = outer
    this.counter = outer?.counter ?? { slots: 0 }
  }

  add(alias: string, columns: Readonly<Record<string, SqlType>>): ScopeEntry {
    const entry = { alias, slot: this.counter.slots++, columns }
    this.entries.push(entry)
    return entry
  }

  find(of: string | undefined, name: string): { slot: number; type: SqlType } | undefined {
    for (const { alias, slot, columns } of this.entries) {
      if (of !== undefined && alias !== of) continue
      const type = columns[name]
      if (type) return { slot, type }
    }
    const outer = this.outer?.find(of, name)
    if (outer) this.correlated = true
    return outer
  }
}

export interface Compiler {
  readonly shapes: (table: string) => TableShape
  select(select: Select, outer: Scope | undefined): CompiledSelect
}

export function compileExpression(compiler: Compiler, scope: Scope, expression: Expression): Compiled {
  const compile = (one: Expression): Compiled => compileExpression(compiler, scope, one)
  switch (expression.kind) {
    case "literal": {
      const { value, type } = expression
      return { type, run: () => value }
    }
    case "param": {
      const { at } = expression
      return { type: "unknown", run: ({ params }) => params[at] ?? null }
    }
    case "column": {
      const { name } = expression
      const found = scope.find(expression.of, name)
      if (!found) throw new Error(`the model of Postgres has no column ${expression.of ?? ""}.${name}`)
      const { slot, type } = found
      const read = columnReader(name)
      return { type, run: ({ rows }) => read(rows[slot]) }
    }
    case "not": {
      const of = compile(expression.of)
      return {
        type: "bool",
        run: (context) => {
          const value = of.run(context)
          return value === null ? null : !value
        },
      }
    }
    case "negate": {
      const of = compile(expression.of)
      return { type: of.type, run: (context) => -(of.run(context) as number) }
    }
    case "cast":
      return compileCast(compile(expression.of), expression)
    case "isNull": {
      const of = compile(expression.of)
      const { negated } = expression
      return { type: "bool", run: (context) => (of.run(context) === null) !== negated }
    }
    case "isDistinct": {
      const [left, right] = [compile(expression.left), compile(expression.right)]
      const { negated } = expression
      return { type: "bool", run: (context) => same(left.run(context), right.run(context)) === negated }
    }
    case "any": {
      const left = compile(expression.left)
      const array = compile(expression.array)
      const isNumeric = left.type === "int8" || left.type === "int4"
      return {
        type: "bool",
        run: (context) => {
          const list = array.run(context) as unknown[]
          const value = left.run(context)
          return isNumeric ? list.some((one) => Number(one) === value) : list.includes(value)
        },
      }
    }
    case "inList": {
      const left = compile(expression.left)
      const list = expression.list.map(compile)
      return {
        type: "bool",
        run: (context) => {
          const value = left.run(context)
          return list.some((one) => one.run(context) === value)
        },
      }
    }
    case "in":
      return compileIn(compiler, scope, expression)
    case "subquery":
      return compileSubquery(compiler, scope, expression.select)
    case "exists": {
      const select = compiler.select(expression.select, scope)
      return { type: "bool", run: (context) => select.exists(context) }
    }
    case "case": {
      const whens = expression.whens.map(([when, then]) => [compile(when), compile(then)] as const)
      const otherwise = expression.otherwise && compile(expression.otherwise)
      const type = [...whens.map(([, then]) => then), ...(otherwise ? [otherwise] : [])]
      return {
        type: type.find((one) => one.type !== "unknown")?.type ?? "unknown",
        run: (context) => {
          for (const [when, then] of whens) if (when.run(context)) return then.run(context)
          return otherwise ? otherwise.run(context) : null
        },
      }
    }
    case "binary":
      return compileBinary(expression.op, compile(expression.left), compile(expression.right))
    case "call":
      return compileCall(expression, expression.args.map(compile))
  }
}

function compileCast(of: Compiled, { type, isArray }: { type: SqlType; isArray: boolean }): Compiled {
  if (isArray) {
    return { type, run: (context) => (of.run(context) as unknown[]).map((one) => coerce(one, type)) }
  }
  if (type === "text") return { type, run: (context) => asText(of.run(context), of.type) }
  return { type, run: (context) => coerce(of.run(context), type) }
}

function compileIn(compiler: Compiler, scope: Scope, expression: Expression & { kind: "in" }): Compiled {
  const left = expression.left.map((one) => compileExpression(compiler, scope, one))
  const select = compiler.select(expression.select, scope)
  if (select.correlated) throw new Error("the model of Postgres knows IN only of subqueries that stand alone")
  return {
    type: "bool",
    run: (context) => {
      // Once for the statement: it may lock what it finds.
      context.cache ??= new Map()
      let found = context.cache.get(select) as Set<unknown> | undefined
      if (!found) {
        found = new Set(select.run(context).map((row) => (row.length === 1 ? row[0] : row.join())))
        context.cache.set(select, found)
      }
      if (found.size === 0) return false
      return found.has(left.length === 1 ? left[0]!.run(context) : left.map((one) => one.run(context)).join())
    },
  }
}

function compileSubquery(compiler: Compiler, scope: Scope, of: Select): Compiled {
  const select = compiler.select(of, scope)
  const run = (context: Context): unknown => select.run(context)[0]?.[0] ?? null
  if (select.correlated) return { type: select.types[0]!, run }
  return {
    type: select.types[0]!,
    run: (context) => {
      context.cache ??= new Map()
      if (!context.cache.has(select)) context.cache.set(select, run(context))
      return context.cache.get(select)
    },
  }
}

type Operator = (left: never, right: never) => unknown

const same = (left: unknown, right: unknown): boolean =>
  left === right || (Buffer.isBuffer(left) && Buffer.isBuffer(right) && left.equals(right))

const comparisons: Readonly<Record<string, Operator>> = {
  "=": same,
  "<>": (left: unknown, right: unknown) => !same(left, right),
  "<": (left: number, right: number) => left < right,
  ">": (left: number, right: number) => left > right,
  "<=": (left: number, right: number) => left <= right,
  ">=": (left: number, right: number) => left >= right,
}

function compileBinary(op: string, left: Compiled, right: Compiled): Compiled {
  if (op === "and") {
    return {
      type: "bool",
      run: (context) => {
        const a = left.run(context)
        if (a === false) return false
        const b = right.run(context)
        return b === false ? false : a === null || b === null ? null : true
      },
    }
  }
  if (op === "or") {
    return {
      type: "bool",
      run: (context) => {
        const a = left.run(context)
        if (a === true) return true
        const b = right.run(context)
        return b === true ? true : a === null || b === null ? null : false
      },
    }
  }
  // What has no type of its own takes the other's, as a parameter does.
  const [a, b] = [fitted(left, right.type), fitted(right, left.type)]
  const { apply, type } = operator(op, a.type, b.type)
  const { run: runLeft } = a
  const { run: runRight } = b
  return {
    type,
    run: (context) => {
      const x = runLeft(context)
      if (x === null) return null
      const y = runRight(context)
      return y === null ? null : apply(x as never, y as never)
    },
  }
}

function fitted(one: Compiled, type: SqlType): Compiled {
  if (one.type !== "unknown" || type === "unknown") return one
  const { run } = one
  return { type, run: (context) => coerce(run(context), type) }
}

function operator(op: string, left: SqlType, right: SqlType): { apply: Operator; type: SqlType } {
  const comparison = comparisons[op]
  if (comparison) return { apply: comparison, type: "bool" }
  const isSet = left === "int8multirange"
  switch (op) {
    case "+":
      if (isSet) return { apply: (a: RangeSet, b: RangeSet) => union(a, b), type: left }
      return { apply: (a: number, b: number) => a + b, type: wider(left, right) }
    case "-":
      if (isSet) return { apply: (a: RangeSet, b: RangeSet) => subtract(a, b), type: left }
      return {
        apply: (a: number, b: number) => a - b,
        type: left === "timestamptz" && right === "timestamptz" ? "interval" : wider(left, right),
      }
    case "*":
      return { apply: (a: number, b: number) => a * b, type: wider(left, right) }
    case "@>":
      if (isSet && right === "int8range")
        return { apply: (a: RangeSet, b: BlockRange | undefined) => !b || contains(a, b), type: "bool" }
      if (isSet && right === "int8multirange")
        return { apply: (a: RangeSet, b: RangeSet) => subtract(b, a).length === 0, type: "bool" }
      if (isSet) return { apply: (a: RangeSet, b: number) => containsHeight(a, b), type: "bool" }
      break
    case "&&":
      if (left === "int8range" && right === "int8range")
        return { apply: (a: BlockRange, b: BlockRange) => rangesOverlap(a, b), type: "bool" }
      if (left === "int8range")
        return { apply: (a: BlockRange, b: RangeSet) => intersect([a], b).length > 0, type: "bool" }
      if (isSet && right === "int8multirange")
        return { apply: (a: RangeSet, b: RangeSet) => intersect(a, b).length > 0, type: "bool" }
      break
  }
  throw new Error(`the model of Postgres does not know ${left} ${op} ${right}`)
}

const wider = (left: SqlType, right: SqlType): SqlType =>
  (["timestamptz", "interval", "float8", "int8"] as const).find((type) => left === type || right === type) ??
  left

/** Functions of their values alone. */
const plain: Readonly<Record<string, { type: SqlType | "first"; apply: (...args: never[]) => unknown }>> = {
  coalesce: { type: "first", apply: (...args: unknown[]) => args.find((one) => one !== null) ?? null },
  greatest: {
    type: "first",
    apply: (...args: (number | null)[]) => {
      const given = args.filter((one) => one !== null)
      return given.length === 0 ? null : Math.max(...given)
    },
  },
  least: {
    type: "first",
    apply: (...args: (number | null)[]) => {
      const given = args.filter((one) => one !== null)
      return given.length === 0 ? null : Math.min(...given)
    },
  },
  int8range: {
    type: "int8range",
    apply: (from: number, to: number | null) => ({ from, to: to ?? endless }),
  },
  int8multirange: { type: "int8multirange", apply: (range: BlockRange) => (range ? rangeSet([range]) : []) },
  isempty: { type: "bool", apply: (set: RangeSet | null) => set && set.length === 0 },
  range_merge: {
    type: "int8range",
    apply: (set: RangeSet | null) => (set?.length ? { from: set[0]!.from, to: set.at(-1)!.to } : null),
  },
  upper: {
    type: "int8",
    apply: (range: BlockRange | null) => (!range || range.to === endless ? null : range.to),
  },
  upper_inf: { type: "bool", apply: (range: BlockRange | null) => range && range.to === endless },
  hashtext: { type: "int4", apply: (text: string) => hash(text) },
  extract_epoch: { type: "float8", apply: (ms: number | null) => (ms === null ? null : ms / 1_000) },
  set_config: { type: "text", apply: (_: string, value: string) => value },
}

function compileCall(
  { name, args: given }: Expression & { kind: "call" },
  args: readonly Compiled[],
): Compiled {
  if (name === "json_build_object") {
    const keys = given.flatMap((one, at) =>
      at % 2 === 0 ? [one.kind === "literal" ? String(one.value) : ""] : [],
    )
    const make = rowMaker(keys)
    const values = args.filter((_, at) => at % 2 === 1).map(({ run }) => run)
    return { type: "json", run: (context) => make(values.map((run) => run(context))) }
  }
  const known = plain[name]
  if (known) return compilePlain(known, args)
  const numbers = (context: Context): string => args.map((one) => Number(one.run(context))).join()
  switch (name) {
    case "clock_timestamp":
    case "now":
      return { type: "timestamptz", run: ({ now }) => now }
    case "pg_postmaster_start_time":
      return { type: "timestamptz", run: ({ server }) => server.startedAt }
    case "pg_terminate_backend":
      return { type: "bool", run: (context) => context.server.terminate(args[0]!.run(context) as number) }
    case "pg_advisory_xact_lock":
    case "pg_advisory_xact_lock_shared": {
      const shared = name.endsWith("shared")
      return {
        type: "text",
        run: (context) => {
          context.locks.push({ lock: context.server.lock(numbers(context)), shared })
          return ""
        },
      }
    }
    case "pg_try_advisory_xact_lock":
      return {
        type: "bool",
        run: (context) => {
          const lock = context.server.lock(numbers(context))
          context.server.endSilent(lock.holders())
          return lock.tryTake(context.transaction, false)
        },
      }
  }
  throw new Error(`the model of Postgres has no function ${name}`)
}

function compilePlain({ type, apply }: (typeof plain)[string], args: readonly Compiled[]): Compiled {
  const own = type === "first" ? (args.find((one) => one.type !== "unknown")?.type ?? "unknown") : type
  const ready = type === "first" ? args.map((one) => fitted(one, own)) : args
  if (ready.length === 1) {
    const { run } = ready[0]!
    return { type: own, run: (context) => apply(run(context) as never) }
  }
  if (ready.length === 2) {
    const [{ run: first }, { run: second }] = ready as [Compiled, Compiled]
    return { type: own, run: (context) => apply(first(context) as never, second(context) as never) }
  }
  return { type: own, run: (context) => apply(...(ready.map((one) => one.run(context)) as never[])) }
}

/** Not the server's, but as good for telling names apart. */
function hash(text: string): number {
  let value = 7
  for (let at = 0; at < text.length; at++) value = (Math.imul(value, 31) + text.charCodeAt(at)) | 0
  return value
}
