// I4: every derived row stems from a stored raw block with its hash, at every moment, also during a rollback.

import type { SimBlock } from "../sim-chain.js"
import type { Checker, World } from "../world.js"

const derived = ["sim_transfers", "sim_moves"]

export const derivedFromStored: Checker = {
  invariant: "I4",
  onCommit(world, committed) {
    if (world.wentBack) return
    for (const name of derived) for (const { after } of committed.of(name)) if (after && !stems(world, after)) return
    for (const { before } of committed.of("blocks")) {
      if (!before) continue
      const height = before["height"] as number
      for (const name of derived) {
        const derivedRow = world.app.table(`app.${name}`).rows.get(height)?.committed
        if (derivedRow) return world.fail("I4", `block ${height} is gone from raw, and ${name} still has its rows`)
      }
    }
  },
  atEnd(world) {
    for (const name of derived)
      for (const row of world.app.table(`app.${name}`).committed()) if (!stems(world, row)) return
  },
}

function stems(world: World, row: Record<string, unknown>): boolean {
  const height = row["block_height"] as number
  const stored = world.raw.table("raw.blocks").rows.get(height)?.committed?.["block"] as SimBlock | undefined
  const wrong = (row["rows"] as { block_hash: string }[]).find(({ block_hash }) => block_hash !== stored?.hash)
  if (wrong)
    world.fail("I4", `block ${height} was derived from ${wrong.block_hash}, raw has ${stored?.hash ?? "none"}`)
  return !wrong
}
