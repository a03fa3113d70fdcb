import { expect, test } from "vitest"
import { byThirds, parseStat, percentile } from "./figures.js"

test("a percentile is a value that was seen", () => {
  const values = Array.from({ length: 200 }, (_, i) => 200 - i)
  expect(percentile(values, 0.99)).toBe(198)
  expect(percentile([7], 0.99)).toBe(7)
  expect(percentile([], 0.99)).toBe(0)
})

test("a trend is the highest of each third, in order", () => {
  expect(byThirds([1, 5, 2, 6, 3, 7, 9])).toBe("5, 7, 9")
})

test("a process's time is read past a name with spaces and brackets", () => {
  const line = `42 (postgres: io (w) 1) S 7 42 42 0 -1 4194560 1 2 3 4 100 20 3 1 20 0 1 0 99 1 1`
  expect(parseStat(line)).toEqual({ pid: 42, parent: 7, ticks: 124 })
})
