// I7: the DEAD blocks are exactly those that a worker cannot process.

import { type Checker, leaseRange, unfinishedLeases } from "../world.js"

export const deadArePlanted: Checker = {
  invariant: "I7",
  atEnd(world) {
    const planted = world.chain.blocks.flatMap(({ poison, height }) => (poison ? [`${poison} ${height}`] : []))
    const dead = [...unfinishedLeases(world.app), ...unfinishedLeases(world.raw)]
      .filter(({ status }) => status === "DEAD")
      .map((lease) => `${lease["worker_type"]} ${leaseRange(lease).from}`)
    if (dead.sort().join() !== planted.sort().join())
      world.fail("I7", `dead: ${dead.join() || "none"}; planted: ${planted.join() || "none"}`)
  },
}
