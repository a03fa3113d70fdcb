// `tidemark status`: how far every chain is, from its database alone.

import { isIndexerError } from "../platform/errors.js"
import type { ChainStatus } from "../status/chain-status.js"
import { diagnose } from "../status/diagnose.js"
import type { Diagnosis } from "../status/diagnosis.js"
import { readChainStatus } from "../status/read-chain-status.js"
import { statusJson } from "../status/status-json.js"
import { storeSizeReader } from "../status/store-size.js"
import { type CliIo, lookOf, print } from "./cli-io.js"
import { withChains } from "./find-chains.js"
import { chainFlags, parseFlags } from "./parse-flags.js"
import { renderStatus } from "./render-status.js"

export const statusHelp = `Usage: tidemark status [options]

Shows how far each chain is: watermark, head, gaps, rate, leases, workers, processes, nodes, and what is wrong if
something is.
Works from any directory or machine that reaches the database; exits 0 when it could be read.

  --chain NAME    only this chain
  --json          as JSON; heights are strings
  --watch         again every second until Ctrl-C
  --config FILE   another file than tidemark.config.ts

The database is found from DB_RAW_URL and DB_APP_URL, the config, or the embedded server in .tidemark/.
`

const watchEveryMs = 1_000
const clearScreen = "\u001b[2J\u001b[H"

interface Look {
  readonly status: ChainStatus
  readonly diagnosis: Diagnosis
}

export async function statusCommand(argv: readonly string[], io: CliIo): Promise<number> {
  const flags = parseFlags(argv, { command: "status", flags: { ...chainFlags, watch: "boolean" } })
  return withChains(io, flags, async (chains, config) => {
    const { stallAfterMs } = config.process
    const readers = chains.map((chain) => {
      const storeSize = storeSizeReader(chain, { clock: io.clock, capacityBytes: chain.capacityBytes })
      return async (): Promise<Look> => {
        const status = await readChainStatus(chain, { ...chain, storeSize })
        return { status, diagnosis: diagnose(status, { stallAfterMs }) }
      }
    })
    const looks = () => Promise.all(readers.map((read) => read()))
    show(await looks(), { io, json: flags.json, clear: false })
    if (!flags.watch) return 0
    const { signal } = io
    while (!signal.aborted) {
      await io.clock.sleep(watchEveryMs, signal)
      if (signal.aborted) break
      await watchOnce(looks, { io, json: flags.json })
    }
    return 0
  })
}

/** An outage is shown and waited out: that is what one watches for. */
async function watchOnce(
  looks: () => Promise<readonly Look[]>,
  { io, json }: { io: CliIo; json: boolean | undefined },
): Promise<void> {
  try {
    show(await looks(), { io, json, clear: io.stdout.isTTY === true })
  } catch (error) {
    if (!isIndexerError(error) || error.action !== "retry") throw error
    io.stderr.write(`${error.code}: ${error.message}\n`)
  }
}

function show(
  looks: readonly Look[],
  { io, json, clear }: { io: CliIo; json: boolean | undefined; clear: boolean },
): void {
  const text = looks.map(({ status, diagnosis }) => renderStatus(status, diagnosis, lookOf(io))).join("\n")
  print(io, {
    json,
    value: { chains: looks.map(({ status, diagnosis }) => statusJson(status, diagnosis)) },
    text: `${clear ? clearScreen : ""}${text}`,
  })
}
