import { describe, expect, test } from "vitest"
import { VirtualClock } from "../../test/support/virtual-clock.js"
import { silentLogger } from "../platform/logger.js"
import { LeaseRenewer } from "./lease-renewer.js"
import type { Lease, LeaseToken } from "./lease-store.js"

const lease = (epoch: string): Lease => ({
  id: "1",
  epoch,
  worker: "w",
  range: { from: 0, to: 1 },
  attempt: 1,
  ttlMs: 10_000,
  chainEpoch: 0,
  dependencies: [],
})

function makeRenewer(renew: (tokens: readonly LeaseToken[]) => Promise<readonly LeaseToken[]>) {
  const clock = new VirtualClock()
  const renewer = new LeaseRenewer({ renew, clock, logger: silentLogger, shortestTtlMs: 10_000 })
  return { clock, renewer }
}
const settle = () => new Promise((resolve) => setImmediate(resolve))
async function pass(clock: VirtualClock, ms: number): Promise<void> {
  for (let i = 0; i < ms; i += 500) {
    clock.advance(500)
    await settle()
  }
}

describe("keeping leases alive", () => {
  test("work is ended locally before its lease can have ended", async () => {
    const { clock, renewer } = makeRenewer(async () => [])
    const held = renewer.hold([lease("a")], {
      sentAt: clock.monotonic(),
      signal: new AbortController().signal,
    })
    await pass(clock, 8_500)
    expect(held.signal.aborted).toBe(false)
    await pass(clock, 1_500)
    expect(held.signal.aborted).toBe(true)
    // An ordinary outcome, no bug: it must not cost the range an attempt beyond the reaper's.
    expect(held.signal.reason).toMatchObject({ code: "LEASE_LOST" })
  })

  test("a slow answer to the claim does not lengthen the lease", async () => {
    const { clock, renewer } = makeRenewer(async () => [])
    const sentAt = clock.monotonic()
    clock.advance(8_000)
    const held = renewer.hold([lease("a")], { sentAt, signal: new AbortController().signal })
    await pass(clock, 1_500)
    expect(held.signal.aborted).toBe(true)
  })

  test("a renewal lengthens it, counted from when it was sent", async () => {
    let answer = (): void => undefined
    const { clock, renewer } = makeRenewer(
      (tokens) =>
        new Promise((resolve) => {
          answer = () => resolve(tokens)
        }),
    )
    const held = renewer.hold([lease("a")], {
      sentAt: clock.monotonic(),
      signal: new AbortController().signal,
    })
    await pass(clock, 3_000)
    const renewing = renewer.runOnce()
    await pass(clock, 4_000)
    answer()
    await renewing
    await pass(clock, 4_500)
    expect(held.signal.aborted).toBe(false)
    await pass(clock, 1_500)
    expect(held.signal.aborted).toBe(true)
  })

  test("a lease that was not renewed runs out, the others live on", async () => {
    const { clock, renewer } = makeRenewer(async (tokens) => tokens.filter(({ epoch }) => epoch === "b"))
    const signal = new AbortController().signal
    const lost = renewer.hold([lease("a")], { sentAt: clock.monotonic(), signal })
    const kept = renewer.hold([lease("b")], { sentAt: clock.monotonic(), signal })
    await pass(clock, 5_000)
    await renewer.runOnce()
    await pass(clock, 5_000)
    expect([lost.signal.aborted, kept.signal.aborted]).toEqual([true, false])
  })

  test("a group ends with the first of its leases that was not renewed", async () => {
    const { clock, renewer } = makeRenewer(async (tokens) => tokens.filter(({ epoch }) => epoch === "a"))
    const held = renewer.hold([lease("a"), lease("b")], {
      sentAt: clock.monotonic(),
      signal: new AbortController().signal,
    })
    await pass(clock, 5_000)
    await renewer.runOnce()
    await pass(clock, 5_000)
    expect(held.signal.aborted).toBe(true)
  })

  test("what was let go is neither renewed nor ended", async () => {
    const renewed: string[] = []
    const { clock, renewer } = makeRenewer(async (tokens) => {
      renewed.push(...tokens.map(({ epoch }) => epoch))
      return tokens
    })
    const held = renewer.hold([lease("a")], {
      sentAt: clock.monotonic(),
      signal: new AbortController().signal,
    })
    held.letGo()
    await renewer.runOnce()
    await pass(clock, 12_000)
    expect(renewed).toEqual([])
    expect(held.signal.aborted).toBe(false)
  })

  test("what was let go leaves no wait behind that would hold up the end of its thread", () => {
    const waits: (AbortSignal | undefined)[] = []
    const { clock, renewer } = makeRenewer(async (tokens) => tokens)
    clock.sleep = (_ms, signal) => {
      waits.push(signal)
      return new Promise(() => undefined)
    }
    // One wait for the group: with one for each lease, Node warns of a leak from eleven on.
    const held = renewer.hold([lease("a"), lease("b")], {
      sentAt: clock.monotonic(),
      signal: new AbortController().signal,
    })
    expect(waits.map((signal) => signal?.aborted)).toEqual([false])
    held.letGo()
    expect(waits.map((signal) => signal?.aborted)).toEqual([true])
  })
})
