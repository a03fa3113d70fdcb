import assert from "node:assert/strict"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { compareAll } from "../compare.js"
import { healWithinMs } from "../heal-within.js"
import type { Scenario } from "../scenario.js"

const preload = pathToFileURL(join(import.meta.dirname, "..", "preload", "skew-clock.mjs")).href
const minutes = 10

/** Leases last long, so that only a wrong clock could end one early. */
const env = { LEASE_TTL_MS: "60000", HEAD_LEASE_TTL_MS: "60000", RANGE_SIZE: "10", RPC_BATCH_BLOCKS: "5" }

export const clockSkew: Scenario = {
  name: "clock-skew",
  fault: `wall clocks ${minutes} minutes ahead, behind, and jumping, one a process`,
  count: { quick: 3, full: 30 },
  async run(scene) {
    const blocks = scene.isQuick ? 60 : scene.count * 100
    const postgres = await scene.postgres()
    const { url: rpcUrl } = await scene.node({ blocks })
    const stage = await scene.stage({ postgres, rpcUrl, roles: "ingest,work", env })
    const skew = minutes * 60_000
    const kinds = [
      { CLOCK_SKEW_MS: `${skew}` },
      { CLOCK_SKEW_MS: `${-skew}` },
      { CLOCK_SKEW_MS: `${skew}`, CLOCK_JUMPS: "1" },
    ]
    for (const kind of kinds) stage.start({ env: { NODE_OPTIONS: `--import=${preload}`, ...kind } })
    const began = performance.now()
    await stage.finish(blocks + 1, healWithinMs({ blocks }))
    assert.equal(stage.members.length, kinds.length, "a process ended")
    const stolen = [
      ...(await stage.probe.rows("select 1 from raw.worker_leases where attempt > 1")),
      ...(await stage.derived.rows("select 1 from app.worker_leases where attempt > 1")),
    ]
    assert.equal(stolen.length, 0, "a lease was taken from its holder")
    const lines = stage.members.flatMap((member) => member.lines)
    const wrong = lines.filter(({ time }) => Math.abs(Date.parse(String(time)) - Date.now()) > skew / 2)
    assert.ok(wrong.length > 0, "no process had a wrong clock")
    const compared = await compareAll(stage, { against: { postgres, rpcUrl }, head: blocks })
    const seconds = ((performance.now() - began) / 1_000).toFixed(0)
    return {
      times: kinds.length,
      compared,
      recovery: "no lease was lost",
      facts: { blocks, seconds, "leases stolen": 0 },
    }
  },
}
