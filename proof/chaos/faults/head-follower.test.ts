import { describe, expect, it } from "vitest"
import { waitUntil } from "../../../test/support/wait-until.js"
import { quickOrFull } from "../../quick-or-full.js"
import { holderOf } from "../stage.js"
import { FaultFixture } from "./fault-fixture.js"

const fixture = new FaultFixture()

// The leases a user has who sets nothing.
const env = { LEASE_TTL_MS: "30000", HEAD_LEASE_TTL_MS: "10000", REAP_INTERVAL_MS: "5000" }

describe("a follower of the head that is killed in the middle of a lease", () => {
  it("is replaced by another process, and no height is missing", async () => {
    const node = await fixture.drivenNode({
      blocks: 5_000,
      // The answers take a while, so that a follower can be met with a lease in its hands.
      ...{ startHead: 100, blockMs: 200, finality: 20, latencyMs: 30 },
    })
    const stage = await fixture.stage({ rpcUrl: node.url, env })
    for (let i = 0; i < 2; i++) stage.start()
    // A block that was the head when it was asked for, and not how close to it the head is: that is up to the machine.
    const followedTo = (height: number, what: string) =>
      waitUntil(
        async () => {
          const [row] = await stage.probe.rows<{ top: string | null }>(
            "select upper(heights) - 1 as top from raw.coverage",
          )
          return Number(row?.top ?? -1) >= height
        },
        { what },
      )
    await followedTo(node.server.head, "the head followed")
    for (let kill = 0; kill < quickOrFull(1, 5); kill++) {
      const victim = await waitUntil(
        async () => {
          const { leasedBy } = (await stage.probe.unfinished()).find(({ status }) => status === "ACTIVE") ?? {}
          return stage.members.find((member) => holderOf(member) === leasedBy)
        },
        { what: "a follower at work", everyMs: 2 },
      )
      const target = node.server.head + 5
      const killedAt = performance.now()
      await victim.end("SIGKILL")
      await followedTo(target, "the head followed again")
      const takenOverMs = Math.round(performance.now() - killedAt)
      console.info(`the head was followed again ${takenOverMs} ms after the kill`)
      const [state] = await stage.probe.rows<{ follower_name: string }>("select follower_name from raw.chain_state")
      expect(state!.follower_name).toBe(holderOf(stage.members[0]!))
      stage.start()
    }
    // What was in the killed one's hands is filled in behind, where finality has passed it meanwhile.
    const top = node.server.head
    await waitUntil(async () => Number(/^\{\[0,(\d+)\)\}$/.exec(await stage.probe.coverage())?.[1] ?? 0) > top, {
      what: "every height stored, without a hole",
    })
    expect(await stage.probe.foreignBlocks((height) => node.chain.hashAt(height))).toEqual([])
  })
})
