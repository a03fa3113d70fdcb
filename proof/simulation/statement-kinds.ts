// Recognises the statements of the product that ambushes wait for.

import type { CompiledStatement } from "./model/compile-statement.js"
import type { AmbushedStatement } from "./plan.js"

const known = new WeakMap<CompiledStatement, AmbushedStatement | "other">()

export function kindOf(sql: string, statement: CompiledStatement): AmbushedStatement | undefined {
  let kind = known.get(statement)
  if (!kind) {
    kind = kindOfText(sql) ?? "other"
    known.set(statement, kind)
  }
  return kind === "other" ? undefined : kind
}

function kindOfText(sql: string): AmbushedStatement | undefined {
  if (sql === "copy raw.blocks" || sql === "copy rows") return "write"
  if (sql === "copy out") return "read"
  if (sql.includes("set status = 'COMPLETED'")) return "complete"
  if (sql.includes('"worker_leases" (worker_type') && sql.includes("'ACTIVE', 1,")) return "claim"
  if (sql.includes("set intent_id = $1")) return "intent"
  if (sql.includes('insert into "app"."rollbacks"')) return "undo"
  return undefined
}
