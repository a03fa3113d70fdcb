// I3: what coverage says is done has its rows, and nothing else has: so the checkpoint, which is the first stretch of it, is the prefix
// that anybody would find by looking at the rows.

import { containsHeight, subtract, union, watermarkEnd } from "../../../src/domain/range-set.js"
import type { Committed } from "../model/model-database.js"
import { type Checker, coverageOf, type World } from "../world.js"

/** Tables with a row for every block that their worker has done, save what is made of another's rows where that one skipped the block. */
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
  checkWatermarks(world)
  for (const [schema, name, owner, upstream] of owners) {
    const database = world[schema]
    const { rows } = database.table(`${schema}.${name}`)
    const empty = upstream === undefined ? [] : coverageOf(database, upstream).skipped
    const heights = subtract(coverageOf(database, owner).heights, empty)
    let promised = 0
    for (const { from, to } of heights) {
      for (let height = from; height < to; height++)
        if (!rows.get(height)?.committed) return world.fail("I3", `${owner} covers ${height} without a row in ${name}`)
      promised += to - from
    }
    let there = 0
    for (const { committed } of rows.values()) if (committed) there++
    if (there !== promised) return world.fail("I3", `${name} has ${there} blocks, ${owner} covers ${promised}`)
  }
}

/** What the product says is complete against the first block, from the start, that is neither there nor skipped. */
function checkWatermarks(world: World): undefined {
  for (const [schema, name, owner, upstream] of owners) {
    const database = world[schema]
    const { heights, skipped } = coverageOf(database, owner)
    const { rows } = database.table(`${schema}.${name}`)
    const empty = upstream === undefined ? [] : coverageOf(database, upstream).skipped
    let end = 0
    while (rows.get(end)?.committed || containsHeight(skipped, end) || containsHeight(empty, end)) end++
    const told = watermarkEnd(union(heights, skipped), 0)
    // Of a block that is skipped upstream the rows do not tell whether the worker has come by.
    if (told > end || (empty.length === 0 && told < end))
      return world.fail("I3", `${owner} says it is complete to ${told}, its rows end at ${end}`)
  }
}
