// The gauge's stretches: of each bucket the worst that any worker says, so that one dead block is seen at any width.

import type { Answer } from "../data/api-query"

type Level = "complete" | "partial" | "missing" | "dead"

export interface Segment {
  readonly from: bigint
  readonly to: bigint
  readonly level: Level
}

type Coverage = Pick<Answer<"/coverage">, "workers">

export function tideSegments({ workers }: Coverage): Segment[] {
  const segments: Segment[] = []
  for (const [at, { from, to }] of (workers[0]?.buckets ?? []).entries()) {
    const states = workers.map(({ buckets }) => buckets[at]?.state ?? "missing")
    const level = levelOf(states)
    const last = segments.at(-1)
    if (last?.level === level) segments[segments.length - 1] = { ...last, to: BigInt(to) }
    else segments.push({ from: BigInt(from), to: BigInt(to), level })
  }
  return segments
}

function levelOf(states: readonly string[]): Level {
  if (states.includes("dead")) return "dead"
  const isDone = (state: string): boolean => state === "done" || state === "skipped"
  if (states.every(isDone)) return "complete"
  return states.some((state) => state !== "missing") ? "partial" : "missing"
}
