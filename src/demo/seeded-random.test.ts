import { expect, test } from "vitest"
import { SeededRandom } from "./seeded-random.js"

const draw = (random: SeededRandom) => Array.from({ length: 5 }, () => random.integer(0, 1_000_000))

test("the same seed gives the same numbers, on every machine", () => {
  expect(draw(new SeededRandom("tidemark", 7))).toEqual(draw(new SeededRandom("tidemark", 7)))
  expect(draw(new SeededRandom("tidemark", 7))).toMatchInlineSnapshot(`
    [
      79260,
      490564,
      665845,
      510967,
      355819,
    ]
  `)
})

test("neighbouring seeds give different numbers", () => {
  expect(draw(new SeededRandom("tidemark", 7))).not.toEqual(draw(new SeededRandom("tidemark", 8)))
})

test("numbers are spread evenly over their range", () => {
  const random = new SeededRandom("spread")
  const counts = Array.from({ length: 10 }, () => 0)
  for (let i = 0; i < 10_000; i++) counts[random.integer(0, 10)]!++
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150)
})

test("a sample has no item twice", () => {
  const sample = new SeededRandom("sample").sample([1, 2, 3, 4, 5, 6], 4)
  expect(new Set(sample).size).toBe(4)
})
