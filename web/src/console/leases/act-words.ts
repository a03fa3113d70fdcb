// What the descriptions of acts have in common. Pure.

import { plural } from "../../parts/format-number"
import { heldBy } from "../graph/held-by"
import type { Worker } from "../graph/worker-state"

export const retryFollows =
  "A block that succeeds is complete. One that fails as often again is dead again, and is listed here with its error."
export const retryUndo = "There is nothing to undo: trying again changes no data until a block succeeds."

/** Of one block, or of many. */
export const skipUndo = (blocks: number): string =>
  `Retry ${blocks === 1 ? "it later: it is then processed as if it" : "them later: they are then processed as if they"} had never been skipped, with all that depends on ${them(blocks)}.`

export function skipFollows({
  worker,
  workers,
  blocks,
}: {
  worker: string
  workers: readonly Worker[]
  blocks: number
}): string {
  const dependents = heldBy(worker, workers)
  const [these, are] = blocks === 1 ? ["this height", "it is"] : ["these heights", "they are"]
  const others =
    dependents.length === 0
      ? ""
      : ` ${listOf(dependents)} ${one(dependents, "derives", "derive")} without ${them(blocks)}.`
  return `The watermark moves past ${them(blocks)}, and every answer over ${these} says that ${are} missing.${others}`
}

const them = (blocks: number): string => (blocks === 1 ? "it" : "them")

/** What is held back until the blocks are done; empty if nothing is. */
export function waitWords(worker: string, workers: readonly Worker[]): string {
  const dependents = heldBy(worker, workers)
  return dependents.length === 0 ? "" : ` ${listOf(dependents)} ${one(dependents, "waits", "wait")} for it meanwhile.`
}

export function listOf(names: readonly string[]): string {
  const most = names.length === 4 ? 4 : 3
  const [shown, more] = [names.slice(0, most), names.length - most]
  if (more > 0) return `${shown.join(", ")} and ${plural(more, "other worker")}`
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`
}

export const one = (names: readonly string[], single: string, many: string): string =>
  names.length === 1 ? single : many
