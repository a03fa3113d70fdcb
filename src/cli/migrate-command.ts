// `tidemark migrate`: brings the schemas up to date without starting anything. `start` does the same by itself.

import { migrate } from "../postgres/migrate.js"
import { type CliIo, print } from "./cli-io.js"
import { withChains } from "./find-chains.js"
import { chainFlags, parseFlags } from "./parse-flags.js"

export const migrateHelp = `Usage: tidemark migrate [options]

Brings the database schemas up to this release: forward only, one transaction per file, safe while others run it too.
\`tidemark start\` does it by itself; this is for those who deploy in steps.

  --chain NAME    only this chain
  --json          as JSON
  --config FILE   another file than tidemark.config.ts
`

export async function migrateCommand(argv: readonly string[], io: CliIo): Promise<number> {
  const flags = parseFlags(argv, { command: "migrate", flags: chainFlags })
  return withChains(io, flags, async (chains) => {
    const done: { chain: string; applied: string[] }[] = []
    for (const { name, raw, app } of chains) {
      const rawFiles = await migrate({ database: raw, schema: "raw" })
      const appFiles = await migrate({ database: app, schema: "app" })
      done.push({
        chain: name,
        applied: [...rawFiles.map((file) => `raw/${file}`), ...appFiles.map((file) => `app/${file}`)],
      })
    }
    print(io, {
      json: flags.json,
      value: { chains: done },
      text: done
        .map(
          ({ chain, applied }) =>
            `${chain}: ${applied.length === 0 ? "up to date" : `applied ${applied.join(", ")}`}\n`,
        )
        .join(""),
    })
    return 0
  })
}
