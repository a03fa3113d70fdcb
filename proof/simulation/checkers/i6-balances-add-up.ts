// I6: all balances together are what was minted less what was burnt, in the blocks that the fold has done.

import type { StateRow } from "../../../test/support/memory-fold.js"
import type { SimBlock } from "../sim-chain.js"
import { zeroAccount } from "../sim-chain.js"
import { type Checker, coverageOf, type World } from "../world.js"

export const balancesAddUp: Checker = { invariant: "I6", sample: check, atEnd: check }

function check(world: World): void {
  let balances = 0
  for (const { state } of world.app.table("app.sim_holdings").committed())
    balances += (state as StateRow)["balance"] as number
  const transfers = world.app.table("app.sim_transfers").rows
  let minted = 0
  for (const { from, to } of coverageOf(world.app, "sim_holdings").heights) {
    for (let height = from; height < to; height++) {
      const rows = (transfers.get(height)?.committed?.["rows"] ?? []) as SimBlock["transfers"]
      for (const { sender, receiver, amount } of rows)
        minted += (sender === zeroAccount ? amount : 0) - (receiver === zeroAccount ? amount : 0)
    }
  }
  if (balances !== minted) world.fail("I6", `balances add up to ${balances}, minted less burnt is ${minted}`)
}
