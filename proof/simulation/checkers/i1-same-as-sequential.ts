// I1: the tables equal those that one process would have derived from the chain without faults. The expectation is
// folded in memory from the chain's own blocks, and shares no code with the product.

import type { StateTable } from "../../../src/workers/worker-definition.js"
import { foldRows, type StateRow } from "../../../test/support/memory-fold.js"
import type { SimBlock } from "../sim-chain.js"
import { holdingsWorker, totalsWorker } from "../sim-workers.js"
import { type Checker, coverageOf, type World } from "../world.js"

export const sameAsSequential: Checker = {
  invariant: "I1",
  atEnd(world) {
    const { chain, raw } = world
    for (const block of chain.blocks) {
      const stored = raw.table("raw.blocks").rows.get(block.height)?.committed?.["block"] as SimBlock | undefined
      if (stored !== block) return world.fail("I1", `raw has ${stored?.hash} at ${block.height}, not ${block.hash}`)
    }
    compare(world, "sim_holdings", holdingsWorker.tables.sim_holdings)
    compare(world, "sim_totals", totalsWorker.tables.sim_totals)
    for (const [table, worker] of [
      ["sim_transfers", "sim_transfers"],
      ["sim_moves", "sim_holdings"],
    ] as const) {
      const blocks = covered(world, worker)
      const stored = world.app.table(`app.${table}`)
      const rows = [...stored.committed()]
      if (rows.length !== blocks.length)
        return world.fail("I1", `${table} has rows of ${rows.length} blocks, not of ${blocks.length}`)
      for (const block of blocks) {
        const found = stored.rows.get(block.height)?.committed?.["rows"] as Record<string, unknown>[] | undefined
        const amounts = block.transfers.map(({ receiver, amount }) => `${block.hash} ${receiver} ${amount}`).join()
        const amountsFound = found?.map(
          (row) => `${row["block_hash"]} ${row["receiver"] ?? row["account"]} ${row["amount"]}`,
        )
        if (amountsFound?.join() !== amounts)
          return world.fail("I1", `${table} has ${amountsFound?.join()} at ${block.height}, not ${amounts}`)
      }
    }
  },
}

function covered({ app, chain }: World, worker: string): readonly SimBlock[] {
  const { heights } = coverageOf(app, worker)
  return heights.flatMap(({ from, to }) => chain.blocks.slice(from, to))
}

function compare(world: World, table: string, declared: StateTable): undefined {
  const rows = covered(world, table).flatMap(({ height, transfers }) =>
    transfers.map((one, event_index) => ({ ...one, block_height: height, event_index, account: one.receiver })),
  )
  const expected = new Map(
    foldRows(declared, { sim_transfers: rows, sim_moves: rows }).map((row) => [row["account"], row]),
  )
  const found = [...world.app.table(`app.${table}`).committed()].map(({ state }) => state as StateRow)
  const shown = (row: StateRow | undefined): string =>
    row ? JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))) : "nothing"
  for (const state of found) {
    const account = state["account"] as string
    const wanted = shown(expected.get(account))
    if (shown(state) !== wanted) return world.fail("I1", `${table} of ${account}: ${shown(state)}, not ${wanted}`)
  }
  if (found.length !== expected.size) world.fail("I1", `${table} has ${found.length} rows, not ${expected.size}`)
}
