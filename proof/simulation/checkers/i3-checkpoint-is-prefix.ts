// I3: exactly the covered blocks have rows, so the watermark is the end of the first stretch of rows.

import { containsHeight, subtract, union, watermarkEnd } from "../../../src/domain/range-set.js"
import type { Committed } from "../model/model-database.js"
import { type Checker, coverageOf, type World } from "../world.js"

/** Tables with a row for every block that their worker has done, except where the upstream worker skipped the block. */
const owners = [
  ["raw", "blocks", "raw_ingester", undefined],
  ["app", "sim_transfers", "sim_transfers", undefined],
  ["app", "sim_moves", "sim_holdings", "sim_transfers"],
] as const

export const checkpointIsPrefix: Checker = {
  invariant: "I3",
  onCommit(world, committed: Committed) {
    const { database } = committed
    for (const [schema, name, owner] of owners) {
      if (schema !== database.name) continue
      const changes = committed.of(name)
      if (changes.length === 0) continue
      const { heights } = coverageOf(database, owner)
      for (const { row, before, after } of changes) {
        const height = row.table.shape.keyOf((after ?? before)!) as number
        if (containsHeight(heights, height) !== (after !== undefined))
          return world.fail("I3", `${name} ${after ? "has" : "lacks"} block ${height}, coverage says otherwise`)
      }
    }
  },
  sample: checkAll,
  atEnd: checkAll,
}

function checkAll(world: World): undefined {
  for (const [schema, name, owner, upstream] of owners) {
    const database = world[schema]
    const { rows } = database.table(`${schema}.${name}`)
    const { heights, skipped } = coverageOf(database, owner)
    const empty = upstream === undefined ? [] : coverageOf(database, upstream).skipped
    // The first block that is neither stored nor skipped.
    let end = 0
    while (rows.get(end)?.committed || containsHeight(skipped, end) || containsHeight(empty, end)) end++
    const watermark = watermarkEnd(union(heights, skipped), 0)
    // A block skipped upstream has no rows, whether the worker has done it or not.
    if (watermark > end || (empty.length === 0 && watermark < end))
      return world.fail("I3", `${owner} says it is complete to ${watermark}, its rows end at ${end}`)
    let promised = 0
    for (const { from, to } of subtract(heights, empty)) {
      for (let height = from; height < to; height++)
        if (!rows.get(height)?.committed) return world.fail("I3", `${owner} covers ${height} without a row in ${name}`)
      promised += to - from
    }
    let stored = 0
    for (const { committed } of rows.values()) if (committed) stored++
    if (stored !== promised) return world.fail("I3", `${name} has ${stored} blocks, ${owner} covers ${promised}`)
  }
}
