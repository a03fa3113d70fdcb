// `tidemark reset`: deletes a chain's store, after a person has seen what goes and has given the chain's name.

import { existsSync } from "node:fs"
import { join } from "node:path"
import { planReset, type ResetPlan, resetChain } from "../operations/reset-chain.js"
import { loadConfig } from "../platform/load-config.js"
import { silentLogger } from "../platform/logger.js"
import { readEmbeddedAddress } from "../postgres/embedded/address-file.js"
import { startEmbedded } from "../postgres/embedded/start-embedded.js"
import { familyOf } from "../roles/family-of.js"
import { type CliIo, print } from "./cli-io.js"
import { onlyChain, withChains } from "./find-chains.js"
import { formatBytes } from "./format-values.js"
import { chainFlags, parseFlags, usage } from "./parse-flags.js"

export const resetHelp = `Usage: tidemark reset [options]

Deletes everything that Tidemark stored of a chain, raw and derived, in both databases. Tables of your own stay. It
shows first what goes, and asks for the chain's name. It cannot be undone.

  --yes           does it without asking
  --force         also while processes run; they fail until they are started again
  --chain NAME    needed where there are several chains
  --json          as JSON
  --config FILE   another file than tidemark.config.ts
`

const command = "reset"

export async function resetCommand(argv: readonly string[], io: CliIo): Promise<number> {
  const flags = parseFlags(argv, { command, flags: { ...chainFlags, yes: "boolean", force: "boolean" } })
  const stopServer = await startStoppedServer(io, flags.config)
  try {
    return await withChains(io, flags, async (chains) => {
      const chain = onlyChain(chains, command)
      const plan = await planReset(chain)
      if (!flags.yes) {
        io.stderr.write(describe(plan))
        if (!io.ask) throw usage("reset deletes the store, so it needs --yes without a terminal", command)
        const given = await io.ask(`Type the chain's name, ${chain.name}, to delete it: `)
        if (given.trim() !== chain.name) {
          io.stderr.write("nothing was deleted\n")
          return 1
        }
      }
      await resetChain(chain, { actor: io.actor, plan, force: flags.force === true })
      const { blocks, bytes, relations } = plan
      print(io, {
        json: flags.json,
        value: { chain: chain.name, deleted: true, blocks, bytes, relations: relations.map(nameOf) },
        text: `Deleted ${chain.name}: ${blocks} blocks, ${relations.length} tables and views, ${formatBytes(bytes)}.\n`,
      })
      return 0
    })
  } finally {
    await stopServer?.()
  }
}

const nameOf = ({ schema, name }: ResetPlan["relations"][number]): string => `${schema}.${name}`

const describe = ({ chain, blocks, bytes, relations, running }: ResetPlan): string =>
  `This deletes ${chain}: ${blocks} blocks and all that was derived from them, ${formatBytes(bytes)} in ` +
  `${relations.length} tables and views:\n  ${relations.map(nameOf).join(", ")}\n` +
  `${running.length > 0 ? `Running: ${running.join(", ")}\n` : ""}Tables of your own stay. It cannot be undone.\n`

/** The embedded server runs only while a process does, and nothing should run now. */
async function startStoppedServer(
  io: CliIo,
  configFile: string | undefined,
): Promise<(() => Promise<void>) | undefined> {
  const { process, chains } = await loadConfig({ cwd: io.cwd, env: io.env, flags: {}, configFile, familyOf })
  const { dataDir } = process
  if (chains.every(({ dbRawUrl }) => dbRawUrl) || !existsSync(join(dataDir, "postgres"))) return undefined
  if ((await readEmbeddedAddress(dataDir)) !== undefined) return undefined
  const server = await startEmbedded({ dataDir, clock: io.clock, random: io.random, logger: silentLogger })
  return () => server.stop()
}
