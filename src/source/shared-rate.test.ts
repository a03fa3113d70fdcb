import { expect, test } from "vitest"
import { VirtualClock } from "../../test/support/virtual-clock.js"
import { SharedRate, setShare, sharedRateBytes } from "./shared-rate.js"

function make(share?: number) {
  const clock = new VirtualClock()
  const memory = new SharedArrayBuffer(sharedRateBytes)
  if (share !== undefined) setShare(memory, share)
  return { clock, memory, rate: new SharedRate({ clock }, memory) }
}

interface Sent {
  readonly at: number
  readonly calls: number
}

/** Sends whatever the rate allows, tried every millisecond by several senders. */
function sendFor(ms: number, { clock, rates }: { clock: VirtualClock; rates: readonly SharedRate[] }): Sent[] {
  const sent: Sent[] = []
  for (let i = 0; i < ms; i++) {
    clock.advance(1)
    for (const rate of rates) {
      const calls = Math.min(100, rate.maxCalls)
      if (rate.tryTake(calls)) sent.push({ at: clock.now(), calls })
    }
  }
  return sent
}

const total = (sent: readonly Sent[]) => sent.reduce((sum, { calls }) => sum + calls, 0)
const mostInASecond = (sent: readonly Sent[]) =>
  Math.max(...sent.map(({ at }) => total(sent.filter((one) => one.at >= at && one.at < at + 1_000))))

test.each([1, 3, 5, 19, 20, 25, 100, 1_000])(
  "a share of %i calls a second holds in every second, and is used",
  (share) => {
    const { clock, memory, rate } = make(share)
    const seconds = share === 1_000 ? 3 : 10
    const sent = sendFor(1_000 * seconds, { clock, rates: [rate, new SharedRate({ clock }, memory)] })
    expect(mostInASecond(sent)).toBeLessThanOrEqual(share)
    expect(total(sent)).toBeGreaterThan(0.85 * share * seconds - 1)
  },
)

test("a quiet time saves nothing up but what is sent late", () => {
  const { clock, rate } = make(100)
  clock.advance(60_000)
  const sent = sendFor(1_000, { clock, rates: [rate] })
  expect(total(sent)).toBeLessThanOrEqual(100)
})

test("a share may change, and counts from then on", () => {
  const { clock, memory, rate } = make(100)
  sendFor(2_000, { clock, rates: [rate] })
  setShare(memory, 10)
  expect(total(sendFor(5_000, { clock, rates: [rate] }))).toBeLessThanOrEqual(51)
})

/** A provider with a bucket, and a client that has always something to ask. */
function serve(seconds: number, { limit, burst }: { limit: number; burst: number }) {
  const { clock, rate } = make()
  let [saved, at, answered, refused] = [burst, clock.now(), 0, 0]
  const perSecond: { readonly answered: number; readonly refused: number }[] = []
  for (let second = 0; second < seconds; second++) {
    const before = { answered, refused }
    for (let ms = 0; ms < 1_000; ms++) {
      clock.advance(1)
      const calls = Math.min(40, rate.maxCalls)
      if (!rate.tryTake(calls)) continue
      saved = Math.min(burst, saved + ((clock.now() - at) * limit) / 1_000)
      at = clock.now()
      const taken = Math.min(calls, Math.floor(saved + 1e-6))
      saved -= taken
      answered += taken
      refused += calls - taken
      if (taken === calls) rate.answered(calls)
      else rate.refused({ sentAtMs: clock.now(), calls, answered: taken })
    }
    perSecond.push({ answered: answered - before.answered, refused: refused - before.refused })
  }
  return { perSecond, rate, clock }
}

test.each([
  { limit: 25, burst: 25 },
  { limit: 25, burst: 250 },
  { limit: 100, burst: 10 },
  { limit: 5, burst: 5 },
  { limit: 1_000, burst: 1_000 },
])("finds a limit of $limit calls a second with $burst saved up, by refusals alone", ({ limit, burst }) => {
  const later = serve(90, { limit, burst }).perSecond.slice(30)
  const mean = (of: "answered" | "refused") => later.reduce((sum, second) => sum + second[of], 0) / later.length
  expect(mean("answered")).toBeGreaterThan(0.85 * limit)
  expect(mean("refused")).toBeLessThan(0.05 * limit)
})

test("requests that were under way when one was refused are no reason to slow down again", () => {
  const { clock, rate } = make()
  rate.answered(100)
  const sentAtMs = clock.now()
  clock.advance(10)
  for (let i = 0; i < 20; i++) rate.refused({ sentAtMs, calls: 10, answered: 5 })
  expect(rate.learned).toBeGreaterThan(90)
})

test("what was learned is remembered, and forgotten when nothing is refused for minutes", () => {
  const { rate, clock } = serve(40, { limit: 50, burst: 50 })
  expect(rate.learned).toBeLessThan(75)
  clock.advance(300_000)
  expect(rate.learned).toBeGreaterThan(10_000)
})

test("nothing is sent while the provider asks to wait, and each refusal of everything waits longer", () => {
  const { clock, rate } = make()
  const refuse = (retryAfterMs?: number) => {
    clock.advance(1)
    return rate.refused({ sentAtMs: clock.now(), calls: 4, answered: 0, retryAfterMs })
  }
  expect(refuse(5_000)).toBe(5_000)
  clock.advance(4_990)
  expect(rate.tryTake(1)).toBe(false)
  clock.advance(10)
  expect(rate.tryTake(1)).toBe(true)
  const pauses = Array.from({ length: 12 }, () => refuse())
  expect(pauses).toEqual([...pauses].sort((a, b) => a - b))
  expect(pauses.at(-1)).toBe(51_200)
  rate.answered(1)
  expect(refuse()).toBe(200)
})
