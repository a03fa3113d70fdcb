// Counts of a state table's rows, such as the holders of a token. A count is no fold of event rows, since whether a row
// counts depends on its sums. Triggers keep it in the transaction that changes the rows, so that it is exact after
// every commit and every rollback, and covers what the state table covers.

import { quoteIdentifier } from "../../postgres/quote-identifier.js"
import type { Queryable } from "../../postgres/transaction.js"
import type { RowCount, StateTable } from "../worker-definition.js"
import { workerSchema } from "../worker-registry.js"

const triggerName = (count: string): string => `count_${count}`

/**
 * Creates what is missing, and counts the rows that are there: writers of the state table wait for that, about a second
 * for a million rows.
 */
export async function ensureRowCounts(
  tx: Queryable,
  { tables }: { tables: readonly (readonly [string, StateTable])[] },
): Promise<void> {
  for (const [table, { counts = {} }] of tables) {
    for (const [name, count] of Object.entries(counts)) {
      if (!(await isKept(tx, table, name))) await create(tx, { table, name, count })
    }
  }
}

/** A table that was dropped took its triggers along, and its counts are void. */
async function isKept(tx: Queryable, table: string, name: string): Promise<boolean> {
  const { rows } = await tx.query<{ kept: boolean }>(
    `select exists (
       select from pg_trigger join pg_class on pg_class.oid = tgrelid
       join pg_namespace on pg_namespace.oid = relnamespace
       where nspname = $1 and relname = $2 and tgname = $3) as kept`,
    [workerSchema, table, `${triggerName(name)}_insert`],
  )
  return rows[0]!.kept
}

/** The counts that a store keeps: each is a table, and a function `count_` and its name that triggers call. */
export async function readRowCounts(sql: Queryable): Promise<readonly { table: string; trigger: string }[]> {
  const { rows } = await sql.query<{ table: string; trigger: string }>(
    `select substr(proname, 7) as table, proname as trigger from pg_trigger join pg_proc on pg_proc.oid = tgfoid
     join pg_namespace on pg_namespace.oid = pronamespace
     where nspname = $1 and tgname = proname || '_insert' and starts_with(proname, 'count_') order by 1`,
    [workerSchema],
  )
  return rows
}

interface Counted {
  readonly table: string
  readonly name: string
  readonly count: RowCount
}

async function create(tx: Queryable, counted: Counted): Promise<void> {
  const { table, name, count } = counted
  const of = quoteIdentifier(workerSchema, table)
  const into = quoteIdentifier(workerSchema, name)
  const by = quoteIdentifier(count.by)
  const column = quoteIdentifier(count.column)
  await tx.query(`lock table ${of} in share row exclusive mode`)
  await tx.query(`drop table if exists ${into}`)
  await tx.query(`create table ${into} (${by} bytea primary key, ${column} int8 not null)`)
  await tx.query(
    `insert into ${into} (${by}, ${column}) select ${by}, count(*) from ${of} where ${count.where} group by 1`,
  )
  await tx.query(`create index on ${into} (${column}, ${by})`)
  await tx.query(functionSql(counted))
  const call = `for each statement execute function ${quoteIdentifier(workerSchema, triggerName(name))}()`
  const seen = {
    insert: "new table as added",
    update: "old table as removed new table as added",
    delete: "old table as removed",
  }
  for (const [event, referencing] of Object.entries(seen)) {
    const trigger = quoteIdentifier(`${triggerName(name)}_${event}`)
    await tx.query(`create trigger ${trigger} after ${event} on ${of} referencing ${referencing} ${call}`)
  }
}

/** Locks in key order, as folds do. Counts of 0 stay. */
function functionSql({ name, count }: Counted): string {
  const by = quoteIdentifier(count.by)
  const column = quoteIdentifier(count.column)
  const changed = (
    sides: string,
  ): string => `insert into ${quoteIdentifier(workerSchema, name)} as c (${by}, ${column})
      select ${by}, sum(n) from (${sides}) as changed group by 1 having sum(n) <> 0 order by 1
      on conflict (${by}) do update set ${column} = c.${column} + excluded.${column};`
  const added = `select ${by}, 1 as n from added where ${count.where}`
  const removed = `select ${by}, -1 as n from removed where ${count.where}`
  return `create or replace function ${quoteIdentifier(workerSchema, triggerName(name))}() returns trigger
  language plpgsql as $count$
  begin
    if tg_op = 'INSERT' then
      ${changed(added)}
    elsif tg_op = 'UPDATE' then
      ${changed(`${added} union all ${removed}`)}
    else
      ${changed(removed)}
    end if;
    return null;
  end
  $count$`
}
