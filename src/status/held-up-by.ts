// Workers that are held up when the given ones are: these themselves and all that read their rows. Pure.

import { downstreamOf } from "../workers/downstream.js"
import type { WorkerStatus } from "./chain-status.js"

export const heldUpBy = (workers: readonly WorkerStatus[], names: readonly string[]): readonly string[] =>
  downstreamOf(
    workers.map(({ worker, dependencies }) => ({ name: worker, dependencies })),
    names,
  )
