// Work that goes on by itself after a fault, or under way before one: seen by the first block that is done, the server's return
// included.

import type { Stage } from "./stage.js"

export interface GoingOnOptions {
  readonly what: string
  /** As many blocks as there are: whoever has all of them done before the first look goes on no more. */
  readonly all: number
}

/** Resolves with the time it took. */
export async function goingOn(stage: Stage, { what, all }: GoingOnOptions): Promise<number> {
  const began = performance.now()
  let first: number | undefined
  await stage.until(
    async () => {
      const done = await stage.progress()
      first ??= done
      return done !== first || done >= all
    },
    { what },
  )
  return performance.now() - began
}
