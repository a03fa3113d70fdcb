// Ingests one leased range, from the node to the commit: fetch, encode, COPY, check, commit. The transaction opens
// once all blocks are fetched, or once more bytes have gathered than one flush may hold, so memory is bounded
// whatever the blocks hold.

import type { FencedCommits } from "../coordination/fenced-commits.js"
import type { Lease } from "../coordination/lease-store.js"
import type { Hex } from "../domain/linked-block.js"
import { resolveErrors } from "../indexing-errors/resolve-errors.js"
import type { Clock } from "../platform/clock.js"
import type { FifoLock } from "../platform/fifo-lock.js"
import { allAnswered } from "../postgres/all-answered.js"
import type { SqlConnection } from "../postgres/sql-connection.js"
import type { BlockSource, FetchRangeOptions } from "../source/block-source.js"
import type { BlockWriter } from "./block-writer.js"
import { checkParent } from "./check-parent.js"
import { checkSeams } from "./check-seams.js"
import { RangeTally, type RangeTotals } from "./range-tally.js"

export interface IngestRangeDeps {
  readonly source: BlockSource
  readonly commits: Pick<FencedCommits<SqlConnection>, "commit">
  /** Reused from range to range for its memory. */
  readonly writer: BlockWriter
  readonly clock: Clock
  readonly flushBytes: number
  /** Shared by lanes that must not copy at the same time. */
  readonly lock?: FifoLock | undefined
}

export interface IngestRangeOptions {
  readonly lease: Lease
  readonly fetch: Omit<FetchRangeOptions, "onParent">
  /** The block below is not stored: its hash is requested with the range. */
  readonly withParent: boolean
  /** A further condition of the commit, checked under its locks. */
  readonly check?: ((tx: SqlConnection) => Promise<void>) | undefined
}

export async function ingestRange(
  { source, commits, writer, clock, flushBytes, lock }: IngestRangeDeps,
  { lease, fetch, withParent, check }: IngestRangeOptions,
): Promise<RangeTotals> {
  const { range } = lease
  writer.reset()
  const tally = new RangeTally()
  let reported: Hex | undefined
  const onParent = (hash: Hex | undefined): void => {
    reported = hash
  }
  const batches = source.fetchRange(range, { ...fetch, ...(withParent ? { onParent } : {}) })[Symbol.asyncIterator]()

  /** Takes batches until the writer is full or the range ends. Returns true when there are more. */
  const fill = async (): Promise<boolean> => {
    while (writer.byteLength < flushBytes) {
      const next = await batches.next()
      if (next.done) return false
      for (const block of next.value) {
        tally.add(block)
        writer.add(block)
      }
      // Batches that are ready would otherwise follow one another without a pause, and meanwhile another lane's COPY
      // could not send and no answer could arrive.
      await clock.yield()
    }
    return true
  }

  const flush = async (tx: SqlConnection): Promise<void> => {
    const end = await lock?.take()
    tally.totals.encodedBytes += writer.byteLength
    try {
      await writer.flush(tx, { between: () => clock.yield() })
    } finally {
      end?.()
    }
  }

  try {
    let more = await fill()
    await commits.commit(lease, {
      write: async (tx) => {
        await flush(tx)
        while (more) {
          more = await fill()
          await flush(tx)
        }
        // Before the commit takes locks that others wait for: this may ask the node.
        await checkParent({ tx, source }, { range, edges: tally.edges(range), reported, fetch })
      },
      check: async (tx) => {
        await allAnswered([
          checkSeams(tx, { range, edges: tally.edges(range) }),
          resolveErrors(tx, "raw", { workers: [lease.worker], range }),
        ])
        await check?.(tx)
      },
    })
  } finally {
    await batches.return?.()
  }
  return tally.totals
}
