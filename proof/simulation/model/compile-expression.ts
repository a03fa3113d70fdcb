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
import { type CodeWriter, rowLiteral } from "./row-code.js"
import type { Expression, Select, SqlType } from "./sql-syntax.js"
import { asText, coerce, endless, primitives } from "./sql-values.js"

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
  /** As a `CodeWriter` has it. */
  readonly code: string
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
  readonly writer: CodeWriter
  select(select: Select, outer: Scope | undefined): CompiledSelect
}

export function compileExpression(compiler: Compiler, scope: Scope, expression: Expression): Compiled {
  const { writer } = compiler
  const compile = (one: Expression): Compiled => compileExpression(compiler, scope, one)
  switch (expression.kind) {
    case "literal": {
      const { value, type } = expression
      return { type, code: typeof value === "number" ? `(${value})` : writer.bind(value) }
    }
    case "param":
      return { type: "unknown", code: `(p[${expression.at}] ?? null)` }
    case "column": {
      const { name } = expression
      const found = scope.find(expression.of, name)
      if (!found) throw new Error(`the model of Postgres has no column ${expression.of ?? ""}.${name}`)
      return { type: found.type, code: `(r[${found.slot}]?.${name} ?? null)` }
    }
    case "not": {
      const value = writer.variable()
      return bool(`((${value} = ${compile(expression.of).code}) === null ? null : !${value})`)
    }
    case "negate": {
      const of = compile(expression.of)
      return { type: of.type, code: `(-${of.code})` }
    }
    case "cast":
      return compileCast(writer, compile(expression.of), expression)
    case "isNull":
      return bool(`(${compile(expression.of).code} ${expression.negated ? "!==" : "==="} null)`)
    case "isDistinct": {
      const [left, right] = [compile(expression.left), compile(expression.right)]
      return bool(`(${writer.bind(same)}(${left.code}, ${right.code}) === ${expression.negated})`)
    }
    case "any": {
      const left = compile(expression.left)
      const array = compile(expression.array)
      const isNumeric = left.type === "int8" || left.type === "int4"
      return bool(`${writer.bind(isNumeric ? includesNumber : includes)}(${array.code}, ${left.code})`)
    }
    case "inList": {
      const value = writer.variable()
      const list = expression.list.map((one) => `${compile(one).code} === ${value}`)
      return bool(`(${value} = ${compile(expression.left).code}, ${list.join(" || ")})`)
    }
    case "in":
      return compileIn(compiler, scope, expression)
    case "subquery":
      return compileSubquery(compiler, scope, expression.select)
    case "exists":
      return bool(`${writer.bind(compiler.select(expression.select, scope).exists)}(c)`)
    case "case": {
      const whens = expression.whens.map(([when, then]) => [compile(when), compile(then)] as const)
      const otherwise = expression.otherwise && compile(expression.otherwise)
      const results = [...whens.map(([, then]) => then), ...(otherwise ? [otherwise] : [])]
      const branches = whens.map(([when, then]) => `${when.code} ? ${then.code} : `)
      return {
        type: results.find((one) => one.type !== "unknown")?.type ?? "unknown",
        code: `(${branches.join("")}${otherwise ? otherwise.code : "null"})`,
      }
    }
    case "binary":
      return compileBinary(writer, {
        op: expression.op,
        left: compile(expression.left),
        right: compile(expression.right),
      })
    case "call":
      return compileCall(writer, expression, expression.args.map(compile))
  }
}

const bool = (code: string): Compiled => ({ type: "bool", code })

const includes = (list: readonly unknown[], value: unknown): boolean => list.includes(value)
const includesNumber = (list: readonly unknown[], value: unknown): boolean => list.some((one) => Number(one) === value)

/** The value as one of the type, whatever it came as. */
export function coerced(writer: CodeWriter, code: string, type: SqlType): string {
  const value = writer.variable()
  const otherwise = `${writer.bind((one: unknown) => coerce(one, type))}(${value})`
  const primitive = primitives[type]
  if (!primitive) return `(${value} = ${code}, ${otherwise})`
  return `(typeof (${value} = ${code}) === "${primitive}" ? ${value} : ${otherwise})`
}

function compileCast(
  writer: CodeWriter,
  of: Compiled,
  { type, isArray }: { type: SqlType; isArray: boolean },
): Compiled {
  if (isArray) return { type, code: `${of.code}.map(${writer.bind((one: unknown) => coerce(one, type))})` }
  if (type === "text") return { type, code: `${writer.bind((value: unknown) => asText(value, of.type))}(${of.code})` }
  return { type, code: coerced(writer, of.code, type) }
}

function compileIn(compiler: Compiler, scope: Scope, expression: Expression & { kind: "in" }): Compiled {
  const { writer } = compiler
  const left = expression.left.map((one) => compileExpression(compiler, scope, one).code)
  const select = compiler.select(expression.select, scope)
  if (select.correlated) throw new Error("the model of Postgres knows IN only of subqueries that stand alone")
  // Once for the statement: it may lock what it finds.
  const foundBy = (context: Context): Set<unknown> => {
    context.cache ??= new Map()
    let found = context.cache.get(select) as Set<unknown> | undefined
    if (!found) {
      found = new Set(select.run(context).map((row) => (row.length === 1 ? row[0] : row.join())))
      context.cache.set(select, found)
    }
    return found
  }
  const value = left.length === 1 ? left[0] : `[${left.join(", ")}].join()`
  const found = writer.variable()
  return bool(`((${found} = ${writer.bind(foundBy)}(c)).size > 0 && ${found}.has(${value}))`)
}

function compileSubquery({ writer, ...compiler }: Compiler, scope: Scope, of: Select): Compiled {
  const select = compiler.select(of, scope)
  const run = (context: Context): unknown => select.run(context)[0]?.[0] ?? null
  const once = (context: Context): unknown => {
    context.cache ??= new Map()
    if (!context.cache.has(select)) context.cache.set(select, run(context))
    return context.cache.get(select)
  }
  return { type: select.types[0]!, code: `${writer.bind(select.correlated ? run : once)}(c)` }
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

function compileBinary(
  writer: CodeWriter,
  { op, left, right }: { op: string; left: Compiled; right: Compiled },
): Compiled {
  const [x, y] = [writer.variable(), writer.variable()]
  if (op === "and" || op === "or") {
    const decisive = op === "or"
    return bool(
      `((${x} = ${left.code}) === ${decisive} || (${y} = ${right.code}) === ${decisive} ? ${decisive} : ${x} === null || ${y} === null ? null : ${!decisive})`,
    )
  }
  // What has no type of its own takes the other's, as a parameter does.
  const [a, b] = [fitted(writer, left, right.type), fitted(writer, right, left.type)]
  const { apply, type } = operator(op, a.type, b.type)
  const sign = isPlain(a.type) && isPlain(b.type) ? signOf(op) : undefined
  const result = sign ? `${x} ${sign} ${y}` : `${writer.bind(apply)}(${x}, ${y})`
  return {
    type,
    code: `((${x} = ${a.code}) === null || (${y} = ${b.code}) === null ? null : ${result})`,
  }
}

/** Operators that mean the same here and there, on values that are one number, text or truth. */
const signOf = (op: string): string | undefined =>
  op === "=" ? "===" : op === "<>" ? "!==" : ["<", ">", "<=", ">=", "+", "-", "*"].find((same) => same === op)

const isPlain = (type: SqlType): boolean =>
  ["int4", "int8", "float8", "timestamptz", "interval", "text", "uuid", "bool"].includes(type)

function fitted(writer: CodeWriter, one: Compiled, type: SqlType): Compiled {
  if (one.type !== "unknown" || type === "unknown") return one
  return { type, code: coerced(writer, one.code, type) }
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
  (["timestamptz", "interval", "float8", "int8"] as const).find((type) => left === type || right === type) ?? left

function ofGiven(choose: (...given: number[]) => number): (...args: (number | null)[]) => number | null {
  return (...args) => {
    const given = args.filter((one) => one !== null)
    return given.length === 0 ? null : choose(...given)
  }
}

/** Functions of their values alone. */
const plain: Readonly<Record<string, { type: SqlType | "first"; apply: (...args: never[]) => unknown }>> = {
  coalesce: { type: "first", apply: (...args: unknown[]) => args.find((one) => one !== null) ?? null },
  greatest: { type: "first", apply: ofGiven(Math.max) },
  least: { type: "first", apply: ofGiven(Math.min) },
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
  writer: CodeWriter,
  { name, args: given }: Expression & { kind: "call" },
  args: readonly Compiled[],
): Compiled {
  if (name === "json_build_object") {
    const keys = given.flatMap((one, at) => (at % 2 === 0 ? [one.kind === "literal" ? String(one.value) : ""] : []))
    const values = args.filter((_, at) => at % 2 === 1).map(({ code }) => code)
    return { type: "json", code: rowLiteral(keys, values) }
  }
  const known = plain[name]
  if (known) return compilePlain(writer, known, args)
  const numbers = `[${args.map(({ code }) => `Number(${code})`).join(", ")}].join()`
  switch (name) {
    case "clock_timestamp":
    case "now":
      return { type: "timestamptz", code: "c.now" }
    case "pg_postmaster_start_time":
      return { type: "timestamptz", code: "c.server.startedAt" }
    case "end_backend":
      return { type: "bool", code: `c.server.terminate(${args[0]!.code})` }
    case "pg_advisory_xact_lock":
    case "pg_advisory_xact_lock_shared": {
      const shared = name.endsWith("shared")
      const want = ({ server, locks }: Context, key: string): string => {
        locks.push({ lock: server.lock(key), shared })
        return ""
      }
      return { type: "text", code: `${writer.bind(want)}(c, ${numbers})` }
    }
    case "pg_try_advisory_xact_lock": {
      const tryTake = ({ server, transaction }: Context, key: string): boolean => {
        const lock = server.lock(key)
        server.endSilent(lock.holders())
        return lock.tryTake(transaction, false)
      }
      return { type: "bool", code: `${writer.bind(tryTake)}(c, ${numbers})` }
    }
  }
  throw new Error(`the model of Postgres has no function ${name}`)
}

function compilePlain(
  writer: CodeWriter,
  { type, apply }: (typeof plain)[string],
  args: readonly Compiled[],
): Compiled {
  const own = type === "first" ? (args.find((one) => one.type !== "unknown")?.type ?? "unknown") : type
  const ready = type === "first" ? args.map((one) => fitted(writer, one, own)) : args
  return { type: own, code: `${writer.bind(apply)}(${ready.map(({ code }) => code).join(", ")})` }
}

/** Not the server's, but as good for telling names apart. */
function hash(text: string): number {
  let value = 7
  for (let at = 0; at < text.length; at++) value = (Math.imul(value, 31) + text.charCodeAt(at)) | 0
  return value
}
