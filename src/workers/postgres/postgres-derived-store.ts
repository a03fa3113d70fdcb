// Derived rows on Postgres: event rows by binary COPY, state by set-based statements, upstream rows read back in bulk.

import type { BlockRange } from "../../domain/block-range.js"
import { resolveErrors } from "../../indexing-errors/resolve-errors.js"
import type { BinaryRows } from "../../postgres/binary-rows.js"
import { quoteIdentifier } from "../../postgres/quote-identifier.js"
import type { SqlConnection } from "../../postgres/sql-connection.js"
import type { ColumnKind } from "../column.js"
import type { DerivedStore, FoldRequest } from "../derived-store.js"
import { RowSink } from "../row-sink.js"
import type { UpstreamRow } from "../worker-definition.js"
import { type WorkerRegistry, workerSchema } from "../worker-registry.js"
import { applyFold } from "./apply-fold.js"

/** The prefix of the names of sessions that derive the tip, by which others see that they block one. */
export const tipApplicationName = "tidemark tip"

export class PostgresDerivedStore implements DerivedStore<SqlConnection, RowSink> {
  private readonly registry: WorkerRegistry
  private readonly named: boolean

  /** named: folds are prepared once for each connection, since all ranges are alike. */
  constructor(registry: WorkerRegistry, { named = false }: { named?: boolean } = {}) {
    this.registry = registry
    this.named = named
  }

  createSink(worker: string): RowSink {
    return new RowSink(this.registry.worker(worker)!)
  }

  append(tx: SqlConnection, sink: RowSink): Promise<void> {
    return sink.flush(tx)
  }

  async readRows(
    tx: SqlConnection,
    { table, range }: { table: string; range: BlockRange },
  ): Promise<ReadonlyMap<number, readonly UpstreamRow[]>> {
    const declared = this.registry.table(table)
    if (declared?.kind !== "events") throw new Error(`${table} is no event table`)
    const names = Object.keys(declared.columns)
    const list = (columns: readonly string[]): string => columns.map((name) => quoteIdentifier(name)).join(", ")
    const rows = await tx.copyOut(
      `select ${list(names)} from ${quoteIdentifier(workerSchema, table)}
       where block_height >= ${range.from} and block_height < ${range.to} order by ${list(declared.key)}`,
      { fields: names.length },
    )
    const decode = names.map((name) => decoders[declared.columns[name]!.kind])
    const byHeight = new Map<number, UpstreamRow[]>()
    const heightAt = names.indexOf("block_height")
    for (let row = 0; row < rows.count; row++) {
      const decoded: Record<string, UpstreamRow[string]> = {}
      for (let field = 0; field < names.length; field++) {
        decoded[names[field]!] = decode[field]!(rows, row, field)
      }
      const height = rows.int8(row, heightAt)!
      const sameHeight = byHeight.get(height)
      if (sameHeight) sameHeight.push(decoded)
      else byHeight.set(height, [decoded])
    }
    return byHeight
  }

  async applyFolds(tx: SqlConnection, { worker, range, without }: FoldRequest): Promise<void> {
    for (const plan of this.registry.folds.get(worker) ?? []) {
      if (plan.sources.every(({ table }) => without?.has(table))) continue
      await applyFold(tx, plan, { range, name: this.named ? `fold ${plan.table}` : undefined })
    }
  }

  async holdsUpTip(tx: SqlConnection): Promise<boolean> {
    // In a case, so that pg_blocking_pids, which locks the lock table, is called only for waiting sessions.
    const { rows } = await tx.query<{ waits: boolean }>(
      `select exists (
         select from pg_stat_activity
         where datname = current_database() and starts_with(application_name, $1)
           and case when wait_event_type = 'Lock' then pg_backend_pid() = any (pg_blocking_pids(pid)) else false end
       ) as waits`,
      [tipApplicationName],
    )
    return rows[0]!.waits
  }

  resolveErrors(tx: SqlConnection, request: Parameters<typeof resolveErrors>[2]): Promise<void> {
    return resolveErrors(tx, "app", request)
  }
}

const dayMs = 86_400_000
const daysTo2000 = Date.UTC(2000, 0, 1) / dayMs

const decoders: Readonly<Record<ColumnKind, (rows: BinaryRows, row: number, field: number) => UpstreamRow[string]>> = {
  bytes: (rows, row, field) => rows.hex(row, field),
  bool: (rows, row, field) => rows.bool(row, field),
  int2: (rows, row, field) => rows.int2(row, field),
  int4: (rows, row, field) => rows.int4(row, field),
  int8: (rows, row, field) => rows.int8(row, field),
  amount: (rows, row, field) => rows.bigint(row, field),
  numeric: (rows, row, field) => rows.bigint(row, field),
  text: (rows, row, field) => rows.text(row, field),
  timestamp: (rows, row, field) => rows.timestampUs(row, field),
  date: (rows, row, field) => {
    const days = rows.int4(row, field)
    return days === null ? null : days + daysTo2000
  },
}
