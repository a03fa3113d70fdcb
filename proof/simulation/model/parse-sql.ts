// SQL text into its tree, by precedence climbing. Parsed once for each text; what it does not know it refuses.

import type { Expression, Output, Select, Source, SqlType, Statement } from "./sql-syntax.js"

type Token = {
  readonly kind: "word" | "number" | "string" | "param" | "symbol" | "end"
  readonly text: string
}

const pattern =
  /\s+|--[^\n]*|('(?:[^']|'')*')|\$(\d+)|("(?:[^"])*")|([A-Za-z_][A-Za-z_0-9]*)|(\d+(?:\.\d+)?)|(::|<=|>=|<>|@>|<@|&&|\|\||[-+*/%<>=(),.[\]])/gy

function tokenize(sql: string): Token[] {
  const tokens: Token[] = []
  pattern.lastIndex = 0
  while (pattern.lastIndex < sql.length) {
    const at = pattern.lastIndex
    const match = pattern.exec(sql)
    if (!match)
      throw new Error(`the model of Postgres cannot read ${JSON.stringify(sql.slice(at, at + 40))} in: ${sql}`)
    const [, text, param, quoted, word, number, symbol] = match
    if (text !== undefined) tokens.push({ kind: "string", text: text.slice(1, -1).replaceAll("''", "'") })
    else if (param !== undefined) tokens.push({ kind: "param", text: param })
    else if (quoted !== undefined) tokens.push({ kind: "word", text: quoted.slice(1, -1) })
    else if (word !== undefined) tokens.push({ kind: "word", text: word.toLowerCase() })
    else if (number !== undefined) tokens.push({ kind: "number", text: number })
    else if (symbol !== undefined) tokens.push({ kind: "symbol", text: symbol })
  }
  tokens.push({ kind: "end", text: "" })
  return tokens
}

/** How strongly each binds. */
const binary: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries({ 1: "or", 2: "and", 5: "= < > <= >= <>", 7: "@> <@ && ||", 8: "+ -", 9: "* /" }).flatMap(
    ([power, operators]) => operators.split(" ").map((operator) => [operator, Number(power)]),
  ),
)

const types: readonly SqlType[] = ["int4", "int8", "text", "uuid", "timestamptz", "int8range", "int8multirange"]

const clauseWords = new Set(
  "from where order limit for on join left inner cross returning set values using union group having as and or not is in case when then else end conflict select".split(
    " ",
  ),
)

export function parseSql(sql: string): Statement {
  return new Parser(sql).statement()
}

class Parser {
  private readonly sql: string
  private readonly tokens: readonly Token[]
  private at = 0

  constructor(sql: string) {
    this.sql = sql
    this.tokens = tokenize(sql)
  }

  statement(): Statement {
    const statement = this.anyStatement()
    if (this.peek().kind !== "end") throw this.refusal()
    return statement
  }

  private anyStatement(): Statement {
    if (this.isWord("select")) return this.select()
    if (this.takeWord("insert")) return this.insert()
    if (this.takeWord("update")) return this.update()
    if (this.takeWord("delete")) return this.delete()
    if (this.takeWord("with")) return this.with()
    throw this.refusal()
  }

  private with(): Statement {
    const parts = this.separated(() => {
      this.word()
      this.expectWord("as")
      return this.inParentheses(() => this.anyStatement())
    })
    return { kind: "with", parts, last: this.anyStatement() }
  }

  private insert(): Statement {
    this.expectWord("into")
    const table = this.tableName()
    const columns = this.nameList()
    const values = this.takeWord("values") ? this.list() : this.select()
    const ignoreConflicts = this.takeWord("on")
    if (ignoreConflicts) {
      this.expectWord("conflict")
      if (this.isSymbol("(")) this.nameList()
      this.expectWord("do")
      this.expectWord("nothing")
    }
    return { kind: "insert", table, columns, values, ignoreConflicts, returning: this.returning() }
  }

  private update(): Statement {
    const table = this.tableName()
    const alias = this.alias() ?? baseName(table)
    this.expectWord("set")
    const set = this.separated(() => {
      const column = this.word()
      this.expect("=")
      return { column, value: this.expression() }
    })
    return { kind: "update", table, alias, set, where: this.where(), returning: this.returning() }
  }

  private delete(): Statement {
    this.expectWord("from")
    const table = this.tableName()
    const alias = this.alias() ?? baseName(table)
    const using: Source[] = []
    if (this.takeWord("using")) using.push(this.source("cross"))
    return { kind: "delete", table, alias, using, where: this.where(), returning: this.returning() }
  }

  private select(): Select {
    this.expectWord("select")
    const distinct = this.takeWord("distinct")
    const outputs = this.isWord("from") ? [] : this.outputs()
    const sources: Source[] = []
    if (this.takeWord("from")) {
      sources.push(this.source("cross"))
      for (;;) {
        if (this.takeWord("cross")) {
          this.expectWord("join")
          sources.push(this.source("cross"))
        } else if (this.isWord("left") || this.isWord("join")) {
          const join = this.takeWord("left") ? "left" : "inner"
          this.expectWord("join")
          const source = this.source(join)
          this.expectWord("on")
          sources.push({ ...source, on: this.expression() })
        } else break
      }
    }
    const where = this.where()
    const orderBy = this.orderBy()
    const limit = this.takeWord("limit") ? this.expression() : undefined
    let lock: Select["lock"]
    if (this.takeWord("for")) {
      // A shared lock is held by one at a time here: nobody shares the rows that are locked so.
      if (!this.takeWord("share")) this.expectWord("update")
      const of = this.takeWord("of") ? this.word() : undefined
      const skipLocked = this.takeWord("skip")
      if (skipLocked) this.expectWord("locked")
      lock = { of, skipLocked }
    }
    return { kind: "select", distinct, outputs, sources, where, orderBy, limit, lock }
  }

  private source(join: Source["join"]): Source {
    if (this.isSymbol("(")) {
      const select = this.inParentheses(() => this.select())
      return { join, on: undefined, alias: this.alias()!, from: { kind: "select", select } }
    }
    if (this.takeWord("unnest")) {
      const args = this.list()
      const alias = this.alias() ?? "unnest"
      const names = args.map((_, at) => (at === 0 ? alias : `${alias}${at}`))
      const columns = this.isSymbol("(") ? this.nameList() : names
      return { join, on: undefined, alias, from: { kind: "unnest", args, columns } }
    }
    const name = this.tableName()
    return { join, on: undefined, alias: this.alias() ?? baseName(name), from: { kind: "table", name } }
  }

  private outputs(): Output[] {
    return this.separated(() => {
      if (this.take("*")) return { expression: "*", name: "*" }
      const expression = this.expression()
      return { expression, name: this.alias() ?? defaultName(expression) }
    })
  }

  private returning(): Output[] {
    return this.takeWord("returning") ? this.outputs() : []
  }

  private where(): Expression | undefined {
    return this.takeWord("where") ? this.expression() : undefined
  }

  private orderBy(): Expression[] {
    if (!this.takeWord("order")) return []
    this.expectWord("by")
    return this.separated(() => {
      const key = this.expression()
      // Of numbers only, which is all that is asked for.
      return this.takeWord("desc") ? { kind: "negate", of: key } : key
    })
  }

  private alias(): string | undefined {
    if (this.takeWord("as")) return this.word()
    const { kind, text } = this.peek()
    if (kind === "word" && !clauseWords.has(text)) return this.word()
    return undefined
  }

  private expression(power = 0): Expression {
    let left = this.prefix()
    for (;;) {
      const token = this.peek()
      if (token.kind === "word" && token.text === "is" && power < 4) {
        this.at++
        const negated = this.takeWord("not")
        if (this.takeWord("distinct")) {
          this.expectWord("from")
          left = { kind: "isDistinct", left, right: this.expression(4), negated }
          continue
        }
        this.expectWord("null")
        left = { kind: "isNull", of: left, negated }
        continue
      }
      if (token.kind === "word" && token.text === "in" && power < 6) {
        this.at++
        left = this.inside(left)
        continue
      }
      const strength = token.kind === "symbol" || token.kind === "word" ? binary[token.text] : undefined
      if (strength === undefined || strength <= power) return left
      this.at++
      if (token.text === "=" && this.takeWord("any")) {
        left = { kind: "any", left, array: this.inParentheses(() => this.expression()) }
        continue
      }
      left = { kind: "binary", op: token.text, left, right: this.expression(strength) }
    }
  }

  private inside(left: Expression): Expression {
    if (!this.isSubquery()) return { kind: "inList", left, list: this.list() }
    const items = left.kind === "call" && left.name === "row" ? left.args : [left]
    return { kind: "in", left: items, select: this.inParentheses(() => this.select()) }
  }

  private prefix(): Expression {
    if (this.takeWord("not")) return { kind: "not", of: this.expression(3) }
    if (this.take("-")) return { kind: "negate", of: this.expression(10) }
    let made = this.primary()
    while (this.take("::")) made = this.castTo(made)
    return made
  }

  private castTo(of: Expression): Expression {
    const named = this.word()
    const type = named === "name" ? "text" : types.find((one) => one === named)
    if (!type) throw this.refusal()
    const isArray = this.take("[")
    if (isArray) this.expect("]")
    return { kind: "cast", of, type, isArray }
  }

  private primary(): Expression {
    if (this.isSymbol("(")) return this.parenthesis()
    const token = this.next()
    switch (token.kind) {
      case "number":
        return { kind: "literal", value: Number(token.text), type: "int4" }
      case "string":
        return { kind: "literal", value: token.text, type: "unknown" }
      case "param":
        return { kind: "param", at: Number(token.text) - 1 }
      case "word":
        return this.fromWord(token.text)
      default:
        throw this.refusal()
    }
  }

  private parenthesis(): Expression {
    if (this.isSubquery()) return { kind: "subquery", select: this.inParentheses(() => this.select()) }
    const items = this.list()
    return items.length === 1 ? items[0]! : { kind: "call", name: "row", args: items, orderBy: [] }
  }

  private fromWord(word: string): Expression {
    switch (word) {
      case "null":
        return { kind: "literal", value: null, type: "unknown" }
      case "true":
      case "false":
        return { kind: "literal", value: word === "true", type: "bool" }
      case "interval":
        return { kind: "literal", value: intervalMs(this.next().text), type: "interval" }
      case "case":
        return this.caseOf()
      case "exists":
        return { kind: "exists", select: this.inParentheses(() => this.select()) }
      case "extract":
        return this.inParentheses(() => {
          this.expectWord("epoch")
          this.expectWord("from")
          return { kind: "call", name: "extract_epoch", args: [this.expression()], orderBy: [] }
        })
    }
    if (this.isSymbol("("))
      return this.inParentheses(() => {
        const isBare = this.take("*") || this.isSymbol(")")
        const args = isBare ? [] : this.separated(() => this.expression())
        return { kind: "call", name: word, args, orderBy: this.orderBy() }
      })
    if (!this.take(".")) return { kind: "column", of: undefined, name: word }
    const name = this.word()
    // A function of ours, whose schema does not matter.
    if (this.isSymbol("(")) return { kind: "call", name, args: this.list(), orderBy: [] }
    return { kind: "column", of: word, name }
  }

  private caseOf(): Expression {
    const whens: [Expression, Expression][] = []
    while (this.takeWord("when")) {
      const when = this.expression()
      this.expectWord("then")
      whens.push([when, this.expression()])
    }
    const otherwise = this.takeWord("else") ? this.expression() : undefined
    this.expectWord("end")
    return { kind: "case", whens, otherwise }
  }

  private list(): Expression[] {
    return this.inParentheses(() => this.separated(() => this.expression()))
  }

  private nameList(): string[] {
    return this.inParentheses(() => this.separated(() => this.word()))
  }

  private inParentheses<T>(read: () => T): T {
    this.expect("(")
    const found = read()
    this.expect(")")
    return found
  }

  /** By commas, one at least. */
  private separated<T>(read: () => T): T[] {
    const found = [read()]
    while (this.take(",")) found.push(read())
    return found
  }

  private tableName(): string {
    const first = this.word()
    return this.take(".") ? `${first}.${this.word()}` : first
  }

  private word(): string {
    const token = this.next()
    if (token.kind !== "word") throw this.refusal()
    return token.text
  }

  private peek(): Token {
    return this.tokens[this.at]!
  }

  private next(): Token {
    return this.tokens[this.at++]!
  }

  private isWord(text: string): boolean {
    const token = this.peek()
    return token.kind === "word" && token.text === text
  }

  private isSymbol(text: string): boolean {
    const token = this.peek()
    return token.kind === "symbol" && token.text === text
  }

  private isSubquery(): boolean {
    const second = this.tokens[this.at + 1]
    return this.isSymbol("(") && second?.kind === "word" && second.text === "select"
  }

  private takeWord(text: string): boolean {
    if (!this.isWord(text)) return false
    this.at++
    return true
  }

  private take(text: string): boolean {
    if (!this.isSymbol(text)) return false
    this.at++
    return true
  }

  private expectWord(text: string): void {
    if (!this.takeWord(text)) throw this.refusal()
  }

  private expect(text: string): void {
    if (!this.take(text)) throw this.refusal()
  }

  private refusal(): Error {
    const near = this.tokens
      .slice(Math.max(0, this.at - 3), this.at + 3)
      .map(({ text }) => text)
      .join(" ")
    return new Error(`the model of Postgres cannot read this, near "${near}": ${this.sql}`)
  }
}

const baseName = (table: string): string => table.slice(table.indexOf(".") + 1)

function defaultName(expression: Expression): string {
  if (expression.kind === "column") return expression.name
  if (expression.kind === "call") return expression.name
  return expression.kind === "cast" ? defaultName(expression.of) : "?column?"
}

function intervalMs(text: string): number {
  const known: Readonly<Record<string, number>> = { "1 ms": 1, "1 day": 86_400_000, "1 second": 1_000 }
  const ms = known[text]
  if (ms === undefined) throw new Error(`the model of Postgres knows no interval '${text}'`)
  return ms
}
