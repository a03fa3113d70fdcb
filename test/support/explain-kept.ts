// The plan that a session keeps of a statement for all values, as it starts with these.

import type { Queryable } from "../../src/postgres/transaction.js"

interface Statement {
  readonly sql: string
  readonly values: readonly unknown[]
}

export async function explainKept(tx: Queryable, { sql, values }: Statement): Promise<string> {
  await tx.query(`prepare explained as ${sql}`)
  const given = values.length > 0 ? ` (${values.map(literal).join(", ")})` : ""
  const { rows } = await tx.query<{ "QUERY PLAN": string }>(`explain execute explained${given}`)
  await tx.query("deallocate explained")
  return rows.map((row) => row["QUERY PLAN"]).join("\n")
}

function literal(value: unknown): string {
  if (Buffer.isBuffer(value)) return `'\\x${value.toString("hex")}'`
  return Array.isArray(value) ? `'{${value.join(",")}}'` : `'${String(value)}'`
}
