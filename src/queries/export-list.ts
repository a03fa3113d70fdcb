// A whole list, page by page, as of one moment. Rows of blocks never change while their heights stay covered, so each page
// has a snapshot of its own, and the first one's coverage holds for all; a rollback below its end breaks the export off.
// Rows of state change with every block: all of them come from one snapshot, for a bounded time.

import type { BlockRange } from "../domain/block-range.js"
import { intersect, rangeSet, subtract } from "../domain/range-set.js"
import type { Queryable } from "../postgres/transaction.js"
import { askedIn, type ListRequest, lookedUp, type Ordered, orderedList, scopeOf } from "./answer-request.js"
import { type AnswerScope, scopeMeta } from "./answer-scope.js"
import { assertNotRolledBack } from "./cursor.js"
import { type PageRow, readPage } from "./read-page.js"
import { RequestError } from "./request-error.js"
import type { ListResource, RequestValues } from "./resource.js"
import type { ServedChain } from "./served-chain.js"
import { jsonRow } from "./value-schemas.js"

export interface ExportSink {
  /** Once, before any row: from then on nothing but the rows can be said. */
  begin(meta: { readonly watermark: string | null; readonly partial: boolean }): void
  /** Settles when there is room for more; rejects when the reader has gone or takes too long. */
  write(rows: readonly Record<string, unknown>[]): Promise<void>
}

export interface ExportOptions {
  readonly sink: ExportSink
  readonly pageRows?: number
  /** For all rows of a state. */
  readonly snapshotMs?: number
}

interface Export {
  readonly chain: ServedChain
  readonly resource: ListResource
  readonly request: Ordered
  readonly values: RequestValues
  readonly head: number | null
  readonly pageRows: number
  readonly snapshotMs: number
  readonly sink: ExportSink
}

interface Pinned {
  readonly scope: AnswerScope
  readonly asked: BlockRange
}

export async function exportList(
  chain: ServedChain,
  list: ListResource,
  asked: Omit<ListRequest, "limit" | "cursor">,
  { sink, pageRows = 1_000, snapshotMs = 60_000 }: ExportOptions,
): Promise<void> {
  const { head } = await chain.head()
  const { resource, request } = orderedList(list, { ...asked, limit: pageRows, cursor: undefined })
  const values = await lookedUp(chain, resource, request.values)
  const run: Export = { chain, resource, request, values, head, pageRows, snapshotMs, sink }
  return resource.height === undefined ? exportState(run) : exportBlocks(run)
}

async function exportBlocks(run: Export): Promise<void> {
  const { chain, resource, sink } = run
  let pinned: Pinned | undefined
  let after: readonly string[] | undefined
  do {
    const { rows, here } = await chain.read(resource.store, async (tx) => {
      const now = await pin(tx, run)
      if (pinned) await assertStill(tx, { run, pinned, now: now.scope })
      const at = pinned ?? now
      return { here: at, rows: await page(tx, run, { ...at, after }) }
    })
    if (!pinned) begin(sink, here)
    pinned = here
    await sink.write(rows.slice(0, run.pageRows).map(({ row }) => jsonRow(row)))
    after = rows.length > run.pageRows ? rows[run.pageRows - 1]!.key : undefined
  } while (after)
}

function exportState(run: Export): Promise<void> {
  const { chain, resource, sink, snapshotMs } = run
  const until = chain.clock.monotonic() + snapshotMs
  return chain.read(resource.store, async (tx) => {
    const pinned = await pin(tx, run)
    let after: readonly string[] | undefined
    let isFirst = true
    do {
      const rows = await page(tx, run, { ...pinned, after })
      if (isFirst) begin(sink, pinned)
      isFirst = false
      await sink.write(rows.slice(0, run.pageRows).map(({ row }) => jsonRow(row)))
      after = rows.length > run.pageRows ? rows[run.pageRows - 1]!.key : undefined
      if (after && chain.clock.monotonic() > until)
        throw new RequestError("QUERY_TOO_LARGE", "the list is too long for one snapshot")
    } while (after)
  })
}

async function pin(tx: Queryable, { chain, resource, values, request, head }: Export): Promise<Pinned> {
  const scope = await scopeOf(tx, { chain, resource, values })
  return { scope, asked: askedIn(scope, { resource, request, values, head }) }
}

async function page(
  tx: Queryable,
  { resource, values, request, pageRows }: Export,
  { scope, asked, after }: Pinned & { readonly after: readonly string[] | undefined },
): Promise<PageRow[]> {
  if (!scope.isKnown) return []
  const selection = await resource.select(tx, values)
  if (!selection) throw new RequestError("NOT_FOUND", "there is no such list")
  return readPage(tx, resource, { scope, asked, order: request.order, limit: pageRows, after, selection })
}

function begin(sink: ExportSink, { scope, asked }: Pinned): void {
  const { data_watermark: watermark, partial } = scopeMeta(scope, asked)
  sink.begin({ watermark, partial })
}

async function assertStill(
  tx: Queryable,
  { run, pinned, now }: { run: Export; pinned: Pinned; now: AnswerScope },
): Promise<void> {
  const { store } = run.resource
  const cursor = { epoch: pinned.scope.epoch, height: pinned.asked.to - 1, key: [] }
  await assertNotRolledBack(tx, { store, epoch: now.epoch, cursor })
  if (subtract(intersect(pinned.scope.covered, rangeSet([pinned.asked])), now.covered).length > 0)
    throw new RequestError("CURSOR_ROLLED_BACK", "heights of this list are being derived again")
}
