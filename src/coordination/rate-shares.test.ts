import { expect, test } from "vitest"
import { fairShare } from "./rate-shares.js"

const shares = (limit: number, wants: readonly number[]) =>
  wants.map((own, at) =>
    fairShare(
      limit,
      own,
      wants.filter((_, other) => other !== at),
    ),
  )

test.each<[string, readonly number[], readonly number[]]>([
  ["one alone gets all of it, also while it is idle", [0], [100]],
  ["those that want more than there is get as much", [100, 100, 80, 90], [25, 25, 25, 25]],
  ["one that wants little leaves the rest", [100, 10], [90, 10]],
  ["an idle one keeps enough to start with", [100, 0], [95, 5]],
  ["what nobody wants is divided evenly", [10, 20], [45, 55]],
])("%s", (_name, wants, expected) => {
  const got = shares(100, wants)
  for (const [at, share] of got.entries()) expect(share).toBeCloseTo(expected[at]!, 6)
})

test("shares add up to the limit, whatever is wanted", () => {
  for (let count = 1; count < 60; count++) {
    const wants = Array.from({ length: count }, (_, i) => (i * 37) % 113)
    const sum = shares(100, wants).reduce((all, share) => all + share, 0)
    expect(sum).toBeCloseTo(100, 6)
  }
})
