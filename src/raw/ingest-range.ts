// One leased range, from the node to the commit: fetch, encode, COPY, prove, done. The transaction opens only when the data
// is there, or when more has gathered than one flush may hold; so memory is bounded whatever the blocks are like.

import type { Lease, LeaseStore } from "../coordination/lease-store.js"
import type { Hex, LinkedBlock } from "../domain/linked-block.js"
import { resolveErrors } from "../indexing-errors/resolve-errors.js"
import type { Clock } from "../platform/clock.js"
import type { Turns } from "../platform/turns.js"
import { allAnswered } from "../postgres/all-answered.js"
import type { SqlConnection } from "../postgres/sql-connection.js"
import type { BlockSource, FetchRangeOptions } from "../source/block-source.js"
import type { BlockWriter } from "./block-writer.js"
import { checkParent } from "./check-parent.js"
import { checkSeams } from "./check-seams.js"
import { RangeTally, type RangeTotals } from "./range-tally.js"

export interface IngestRangeDeps {
  readonly source: BlockSource
  readonly leases: LeaseStore<SqlConnection>
  /** Kept by the caller from range to range for its memory. */
  readonly writer: BlockWriter
  readonly clock: Clock
  readonly flushBytes: number
  /** Shared by those who do not copy at the same time. */
  readonly turns?: Turns | undefined
}

export interface IngestRangeOptions {
  readonly lease: Lease
  readonly fetch: Omit<FetchRangeOptions, "onParent">
  /** The block below is not stored: its hash is asked for with the range. */
  readonly withParent: boolean
  /** What else has to hold at the commit, under the locks. */
  readonly check?: ((tx: SqlConnection) => Promise<void>) | undefined
}

export async function ingestRange(
  { source, leases, writer, clock, flushBytes, turns }: IngestRangeDeps,
  { lease, fetch, withParent, check }: IngestRangeOptions,
): Promise<RangeTotals> {
  writer.reset()
  const tally = new RangeTally()
  let told: Hex | undefined
  const onParent = (hash: Hex | undefined): void => {
    told = hash
  }
  const batches = source
    .fetchRange(lease.range, { ...fetch, ...(withParent ? { onParent } : {}) })
    [Symbol.asyncIterator]()
  try {
    let more = await fill({ writer, tally }, { batches, clock, flushBytes })
    await leases.commit(lease, {
      write: async (tx) => {
        await flush({ writer, tally }, { tx, turns, clock })
        while (more) {
          more = await fill({ writer, tally }, { batches, clock, flushBytes })
          await flush({ writer, tally }, { tx, turns, clock })
        }
        // Before the locks that others wait for are taken: it may ask the node.
        const edges = tally.edges(lease.range)
        await checkParent({ tx, source }, { range: lease.range, edges, told, fetch })
      },
      check: async (tx) => {
        await allAnswered([
          checkSeams(tx, { range: lease.range, edges: tally.edges(lease.range) }),
          resolveErrors(tx, "raw", { workers: [lease.workerType], range: lease.range }),
        ])
        await check?.(tx)
      },
    })
  } finally {
    await batches.return?.()
  }
  return tally.totals
}

interface Passed {
  readonly writer: BlockWriter
  readonly tally: RangeTally
}

async function flush(
  { writer, tally }: Passed,
  { tx, turns, clock }: { tx: SqlConnection; turns: Turns | undefined; clock: Clock },
): Promise<void> {
  const end = await turns?.take()
  tally.totals.encodedBytes += writer.byteLength
  try {
    await writer.flush(tx, { between: () => clock.turn() })
  } finally {
    end?.()
  }
}

/** Takes batches until the writer is full or the range is at its end; true when there is more. */
async function fill(
  { writer, tally }: Passed,
  {
    batches,
    clock,
    flushBytes,
  }: { batches: AsyncIterator<readonly LinkedBlock[]>; clock: Clock; flushBytes: number },
): Promise<boolean> {
  while (writer.byteLength < flushBytes) {
    const next = await batches.next()
    if (next.done) return false
    for (const block of next.value) {
      tally.add(block)
      writer.add(block)
    }
    // Blocks that lie ready would be taken one after the other without a pause, and meanwhile the COPY of another lane
    // could not send, nor an answer arrive.
    await clock.turn()
  }
  return true
}
