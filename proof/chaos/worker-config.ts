// Config files with workers of a user's own, as text: sound ones, and ones that fail in the ways that a program can.

import { join } from "node:path"
import { pathToFileURL } from "node:url"

/** What stands for `import … from "tidemark"` where the package is not installed. */
const built = pathToFileURL(join(import.meta.dirname, "..", "..", "dist", "config.js")).href

export interface OwnWorker {
  readonly name: string
  readonly dependencies?: readonly string[]
  /** Statements run before the block's row is emitted, with `block` at hand. */
  readonly before?: string
}

/** Each has a table of its own, named after it, with a row for every block. */
export function configWith(workers: readonly OwnWorker[]): string {
  return `import { existsSync } from "node:fs"
import { defineWorker, eventTable, int4, int8 } from ${JSON.stringify(built)}
const worker = (name, dependencies, before) => defineWorker({
  name,
  version: 1,
  dependencies,
  tables: { [name + "_blocks"]: eventTable({ columns: { block_height: int8, events: int4 }, key: ["block_height"] }) },
  extract: ({ block, emit }) => {
    before(block)
    emit[name + "_blocks"]({ block_height: block.height, events: block.events.length })
  },
})
export default { workers: [
${workers
  .map(
    ({ name, dependencies = [], before = "" }) =>
      `  worker(${JSON.stringify(name)}, ${JSON.stringify(dependencies)}, (block) => { ${before} }),`,
  )
  .join("\n")}
] }
`
}

export const poison = {
  throws: (height: number) =>
    `if (block.height === ${height}) throw new Error("no such pool in block " + block.height)`,
  spins: (height: number) => `if (block.height === ${height}) for (;;);`,
  hoards: (height: number) =>
    `if (block.height === ${height}) for (const hoard = []; ; ) hoard.push(new Array(10_000).fill(hoard.length))`,
  /** Blocks its thread for this long at every block, from the height `from` on for much longer, until the file exists. */
  crawls: ({ ms, from, untilMs, until }: { ms: number; from: number; untilMs: number; until: string }) =>
    `if (!existsSync(${JSON.stringify(until)}))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, block.height < ${from} ? ${ms} : ${untilMs})`,
}
