import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { rangeSet } from "../domain/range-set.js"
import { afterFailure, backoffMs, defaultFailurePolicy } from "./after-failure.js"

const range = fc
  .tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 1, max: 50 }))
  .map(([from, length]) => ({ from, to: from + length }))

describe("what becomes of a failed range", () => {
  test("a split loses no height and doubles none", () => {
    fc.assert(
      fc.property(
        range,
        fc.integer({ min: 1, max: 40 }),
        fc.option(fc.integer({ min: 0, max: 160 })),
        (whole, attempt, height) => {
          const verdict = afterFailure(defaultFailurePolicy, {
            range: whole,
            attempt,
            height: height ?? undefined,
          })
          if (verdict.kind !== "split") return
          expect(rangeSet(verdict.parts)).toEqual([whole])
          expect(verdict.parts.reduce((sum, part) => sum + part.to - part.from, 0)).toBe(whole.to - whole.from)
          for (const part of verdict.parts) expect(part.to - part.from).toBeLessThan(whole.to - whole.from)
        },
      ),
    )
  })

  test("only a single block dies, and only after its attempts", () => {
    fc.assert(
      fc.property(range, fc.integer({ min: 1, max: 40 }), (whole, attempt) => {
        const { kind } = afterFailure(defaultFailurePolicy, { range: whole, attempt })
        expect(kind === "dead").toBe(whole.to - whole.from === 1 && attempt >= 20)
      }),
    )
  })

  test("a bug splits its range the first time, and kills no block, however often it is met", () => {
    fc.assert(
      fc.property(range, fc.integer({ min: 1, max: 400 }), (whole, attempt) => {
        const bug = afterFailure(defaultFailurePolicy, { range: whole, attempt, isBug: true })
        expect(bug.kind).toBe(whole.to - whole.from === 1 ? "retry" : "split")
      }),
    )
  })

  test("a poison block among a thousand is alone after ten splits", () => {
    let whole = { from: 0, to: 1_000 }
    let splits = 0
    while (whole.to - whole.from > 1) {
      const verdict = afterFailure(defaultFailurePolicy, { range: whole, attempt: 3 })
      if (verdict.kind !== "split") throw new Error("not split")
      whole = verdict.parts.find((part) => part.from <= 777 && 777 < part.to)!
      splits++
    }
    expect(whole).toEqual({ from: 777, to: 778 })
    expect(splits).toBeLessThanOrEqual(10)
  })

  test("waits double from a second to a minute, and twenty attempts take about a quarter of an hour", () => {
    const waits = Array.from({ length: 19 }, (_, i) => backoffMs(defaultFailurePolicy, i + 1, 0))
    expect(waits.slice(0, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000])
    expect(Math.max(...waits)).toBe(60_000)
    const total = waits.reduce((sum, wait) => sum + wait, 0) / 60_000
    expect(total).toBeGreaterThan(12)
    expect(total).toBeLessThan(18)
    expect(backoffMs(defaultFailurePolicy, 7, 0.999)).toBeGreaterThanOrEqual(30_000)
  })
})
