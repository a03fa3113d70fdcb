// The part of SQL that the coordination, the rollback and the workers' runtime are written in, as a tree. Whatever is not in here is
// refused by name when it is parsed, never guessed at.

export type SqlType =
  | "int4"
  | "int8"
  | "float8"
  | "text"
  | "bool"
  | "bytea"
  | "uuid"
  | "timestamptz"
  | "interval"
  | "int8range"
  | "int8multirange"
  | "json"
  | "unknown"

export type Expression =
  | { readonly kind: "literal"; readonly value: unknown; readonly type: SqlType }
  | { readonly kind: "param"; readonly at: number }
  | { readonly kind: "column"; readonly of: string | undefined; readonly name: string }
  | { readonly kind: "binary"; readonly op: string; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "not" | "negate"; readonly of: Expression }
  | { readonly kind: "cast"; readonly of: Expression; readonly type: SqlType; readonly isArray: boolean }
  | {
      readonly kind: "call"
      readonly name: string
      readonly args: readonly Expression[]
      readonly orderBy: readonly Expression[]
    }
  | {
      readonly kind: "case"
      readonly whens: readonly (readonly [Expression, Expression])[]
      readonly otherwise: Expression | undefined
    }
  | { readonly kind: "isNull"; readonly of: Expression; readonly negated: boolean }
  | {
      readonly kind: "isDistinct"
      readonly left: Expression
      readonly right: Expression
      readonly negated: boolean
    }
  | { readonly kind: "in"; readonly left: readonly Expression[]; readonly select: Select }
  | { readonly kind: "inList"; readonly left: Expression; readonly list: readonly Expression[] }
  | { readonly kind: "any"; readonly left: Expression; readonly array: Expression }
  | { readonly kind: "subquery"; readonly select: Select }
  | { readonly kind: "exists"; readonly select: Select }

export interface Output {
  readonly expression: Expression | "*"
  readonly name: string
}

export interface Source {
  readonly join: "cross" | "inner" | "left"
  readonly on: Expression | undefined
  readonly alias: string
  readonly from:
    | { readonly kind: "table"; readonly name: string }
    | { readonly kind: "select"; readonly select: Select }
    | { readonly kind: "unnest"; readonly args: readonly Expression[]; readonly columns: readonly string[] }
}

export interface Select {
  readonly kind: "select"
  readonly distinct: boolean
  readonly outputs: readonly Output[]
  readonly sources: readonly Source[]
  readonly where: Expression | undefined
  readonly orderBy: readonly Expression[]
  readonly limit: Expression | undefined
  readonly lock: { readonly of: string | undefined; readonly skipLocked: boolean } | undefined
}

interface Assignment {
  readonly column: string
  readonly value: Expression
}

export type Statement =
  | Select
  /** Parts that write; none reads what another gives. */
  | { readonly kind: "with"; readonly parts: readonly Statement[]; readonly last: Statement }
  | {
      readonly kind: "insert"
      readonly table: string
      readonly columns: readonly string[]
      readonly values: readonly Expression[] | Select
      readonly ignoreConflicts: boolean
      readonly returning: readonly Output[]
    }
  | {
      readonly kind: "update"
      readonly table: string
      readonly alias: string
      readonly set: readonly Assignment[]
      readonly where: Expression | undefined
      readonly returning: readonly Output[]
    }
  | {
      readonly kind: "delete"
      readonly table: string
      readonly alias: string
      readonly using: readonly Source[]
      readonly where: Expression | undefined
      readonly returning: readonly Output[]
    }
