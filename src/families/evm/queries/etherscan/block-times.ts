// block getblocknobytime and getblockcountdown.

import { containsHeight } from "../../../../domain/range-set.js"
import type { EtherscanAction } from "../../../../queries/etherscan/etherscan-action.js"
import { EtherscanError } from "../../../../queries/etherscan/etherscan-error.js"
import { heightAtTime } from "../../../../queries/height-at-time.js"
import { readStored, type Stored } from "./read-stored.js"

/** The pace of the chain is that of so many of its newest blocks. */
const pacedBlocks = 100

async function blockAt({ tx, scope, newest }: Stored, { seconds, isBefore }: { seconds: number; isBefore: boolean }) {
  const height = await heightAtTime(tx, new Date(seconds * 1_000))
  // The first block at or after the time; a block at that very second is the closest on both sides.
  const { rows } = await tx.query<{ time: string }>(
    "select extract(epoch from timestamp)::int8::text as time from raw.blocks where height = $1",
    [height],
  )
  const isExact = Number(rows[0]?.time) === seconds
  const found = isBefore && !isExact ? height - 1 : height
  if (found < scope.start || found > newest) throw new EtherscanError("Error! No closest block found")
  // Both sides of the time have to be stored, or another block might be closer.
  const isCertain = [height - 1, height].every(
    (one) => one < scope.start || one > newest || containsHeight(scope.covered, one),
  )
  if (!isCertain) throw new EtherscanError("Error! Incomplete: blocks around this time are not indexed")
  return String(found)
}

const pace = `select extract(epoch from (max(timestamp) - min(timestamp))) / nullif(count(*) - 1, 0) as seconds
  from raw.blocks where height > $1 and height <= $2`

export const blockTimes: readonly EtherscanAction[] = [
  {
    module: "block",
    action: "getblocknobytime",
    answer: async (ask) => {
      const seconds = ask.params.integer("timestamp")
      const closest = ask.params.text("closest")?.toLowerCase() ?? "before"
      if (seconds === undefined || seconds > 1e11) throw new EtherscanError("Error! Invalid timestamp")
      if (closest !== "before" && closest !== "after") throw new EtherscanError("Error! closest is before or after")
      const { value, completeness } = await readStored(ask, (stored) =>
        blockAt(stored, { seconds, isBefore: closest === "before" }),
      )
      return { kind: "value", value, completeness }
    },
  },
  {
    module: "block",
    action: "getblockcountdown",
    answer: async (ask) => {
      const height = ask.params.integer("blockno")
      if (height === undefined) throw new EtherscanError("Error! Missing blockno")
      const { value, completeness } = await readStored(ask, async ({ tx, newest }) => {
        if (height <= newest) throw new EtherscanError("Error! Block number already pass")
        const { rows } = await tx.query<{ seconds: string | null }>(pace, [newest - pacedBlocks, newest])
        const remaining = height - newest
        return {
          CurrentBlock: String(newest),
          CountdownBlock: String(height),
          RemainingBlock: String(remaining),
          EstimateTimeInSec: (remaining * Number(rows[0]?.seconds ?? 0)).toFixed(1),
        }
      })
      return { kind: "value", value, completeness }
    },
  },
]
