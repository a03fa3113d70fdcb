// I1: what many processes derived, with everything that went wrong, is what one would have derived from the chain from start to end. The
// expectation is computed here, by hand, and shares no code with the product.

import type { FoldState } from "../model/model-fold.js"
import type { SimBlock } from "../sim-chain.js"
import { zeroAccount } from "../sim-chain.js"
import { type Checker, coverageOf, type World } from "../world.js"

type Rows = Map<string, Record<string, unknown>>

export const sameAsSequential: Checker = {
  invariant: "I1",
  atEnd(world) {
    const { chain, raw } = world
    for (const block of chain.blocks) {
      const stored = raw.table("raw.blocks").rows.get(block.height)?.committed?.["block"] as
        | SimBlock
        | undefined
      if (stored !== block)
        return world.fail("I1", `raw has ${stored?.hash} at ${block.height}, not ${block.hash}`)
    }
    compare(world, "sim_holdings", holdings(covered(world, "sim_holdings")))
    compare(world, "sim_totals", totals(covered(world, "sim_totals")))
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
        const found = stored.rows.get(block.height)?.committed?.["rows"] as
          | Record<string, unknown>[]
          | undefined
        const amounts = block.transfers
          .map(({ receiver, amount }) => `${block.hash} ${receiver} ${amount}`)
          .join()
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

function compare(world: World, table: string, expected: Rows): undefined {
  const found = [...world.app.table(`app.${table}`).committed()].map(({ state }) => state as FoldState)
  const shown = (row: Record<string, unknown> | undefined): string =>
    row ? JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))) : "nothing"
  for (const state of found) {
    const account = state["account"] as string
    const wanted = shown(expected.get(account))
    if (shown(state) !== wanted)
      return world.fail("I1", `${table} of ${account}: ${shown(state)}, not ${wanted}`)
  }
  if (found.length !== expected.size)
    world.fail("I1", `${table} has ${found.length} rows, not ${expected.size}`)
}

function holdings(blocks: readonly SimBlock[]): Rows {
  const rows: Rows = new Map()
  for (const block of blocks) {
    for (const [index, { sender, receiver, amount }] of block.transfers.entries()) {
      for (const [account, peer, change] of [
        [sender, receiver, -amount],
        [receiver, sender, amount],
      ] as const) {
        if (account === zeroAccount) continue
        const row = rows.get(account)
        rows.set(account, {
          account,
          balance: ((row?.["balance"] as number | undefined) ?? 0) + change,
          event_rows: ((row?.["event_rows"] as number | undefined) ?? 0) + 1,
          largest: Math.max((row?.["largest"] as number | undefined) ?? 0, amount),
          first_block_height: row?.["first_block_height"] ?? block.height,
          first_event_index: row?.["first_event_index"] ?? index,
          last_block_height: block.height,
          last_event_index: index,
          last_peer: peer,
        })
      }
    }
  }
  return rows
}

function totals(blocks: readonly SimBlock[]): Rows {
  const rows: Rows = new Map()
  for (const block of blocks) {
    for (const [index, { receiver, amount }] of block.transfers.entries()) {
      const row = rows.get(receiver)
      rows.set(receiver, {
        account: receiver,
        moved: ((row?.["moved"] as number | undefined) ?? 0) + amount,
        event_rows: ((row?.["event_rows"] as number | undefined) ?? 0) + 1,
        latest: amount,
        last_block_height: block.height,
        last_event_index: index,
      })
    }
  }
  return rows
}
