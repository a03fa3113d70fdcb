// An act over many blocks, some at a time, so that one sees how far it is and can stop it: asked for again until none is left.

import { adminFetch } from "../access/admin-fetch"
import type { ActProgress } from "./act"

interface RepeatAct {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  /** Where the answer lists what was done. */
  readonly list: "retried" | "skipped"
  readonly signal: AbortSignal
  onProgress(progress: ActProgress): void
}

/** Each is a transaction of its own. */
const most = 200

type Answer = { readonly left: number } & Readonly<Record<string, unknown>>

/** How many were done, and how many are left: 0 unless it was stopped, or what is left cannot be done. */
export async function repeatAct({
  path,
  body,
  list,
  signal,
  onProgress,
}: RepeatAct): Promise<ActProgress & { left: number }> {
  let done = 0
  let left = 0
  let isMoving = true
  do {
    const answer = await adminFetch<Answer>(path, { method: "POST", body: { ...body, most } })
    const rows = answer[list] as readonly unknown[]
    // Blocks that die again meanwhile do not keep it going for ever.
    isMoving = rows.length > 0
    done += rows.length
    left = answer.left
    onProgress({ done, total: done + left })
  } while (left > 0 && isMoving && !signal.aborted)
  return { done, left, total: done + left }
}
