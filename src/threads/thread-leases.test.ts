import { describe, expect, test } from "vitest"
import { VirtualClock } from "../../test/support/virtual-clock.js"
import { LeaseRenewer } from "../coordination/lease-renewer.js"
import type { Lease, LeaseToken } from "../coordination/lease-store.js"
import { silentLogger } from "../platform/logger.js"
import { HeldByThread, ThreadLeases } from "./thread-leases.js"
import type { LeaseMessage } from "./thread-messages.js"

const lease = (epoch: string): Lease => ({
  id: epoch,
  epoch,
  worker: "raw_ingester",
  range: { from: 10, to: 20 },
  attempt: 1,
  ttlMs: 10_000,
  chainEpoch: 0,
  dependencies: [],
})

/** A thread and its process, with messages delivered at once. */
function pair() {
  const clock = new VirtualClock()
  const renewed: (readonly LeaseToken[])[] = []
  const renewer = new LeaseRenewer({
    renew: async (tokens) => {
      renewed.push(tokens)
      return tokens
    },
    clock,
    logger: silentLogger,
    shortestTtlMs: 10_000,
  })
  const process: HeldByThread = new HeldByThread({ keeper: renewer, onLost: (lost) => thread.lose(lost) })
  const thread: ThreadLeases = new ThreadLeases((message: LeaseMessage) => process.receive(message))
  const hold = (...epochs: string[]) =>
    thread.hold(epochs.map(lease), { sentAt: clock.monotonic(), signal: new AbortController().signal })
  return { clock, renewer, renewed, process, hold }
}
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe("leases of a thread", () => {
  test("are renewed by the process, until they are let go", async () => {
    const { renewer, renewed, hold } = pair()
    const group = hold("a", "b")
    await renewer.runOnce()
    group.letGo()
    await renewer.runOnce()
    expect(renewed.map((tokens) => tokens.map(({ epoch }) => epoch))).toEqual([["a", "b"]])
  })

  test("end the work with LEASE_LOST when they were not renewed in time", async () => {
    const { clock, hold } = pair()
    const { signal } = hold("a")
    for (let ms = 0; ms < 10_000; ms += 500) {
      clock.advance(500)
      await settle()
    }
    expect(signal.aborted).toBe(true)
    expect(signal.reason).toMatchObject({ code: "LEASE_LOST" })
  })

  test("are handed over when the thread has ended, and renewed no more", async () => {
    const { renewer, renewed, process, hold } = pair()
    hold("a")
    expect(process.takeAll().map(({ epoch }) => epoch)).toEqual(["a"])
    await renewer.runOnce()
    expect(renewed).toEqual([])
  })
})
