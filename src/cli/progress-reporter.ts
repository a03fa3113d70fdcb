// Shows the progress of `tidemark start`: a live line on a terminal, a log line every ten seconds elsewhere and, once
// history is complete, one a minute.

import type { ChainView } from "../api/chain-view.js"
import { isIndexerError } from "../platform/errors.js"
import { LoopingService } from "../platform/looping-service.js"
import type { ServiceDeps } from "../platform/service.js"
import { type Terminal, wantsColour } from "../platform/terminal.js"
import type { ChainStatus } from "../status/chain-status.js"
import { progressFields, progressLine } from "./progress-line.js"

export interface ProgressReporterOptions extends ServiceDeps {
  /** Those that run by now. */
  readonly chains: () => readonly ChainView[]
  readonly terminal: Terminal
  readonly env?: Readonly<Record<string, string | undefined>>
}

const drawEveryMs = 500
const logEveryMs = 10_000
const quietLogEveryMs = 60_000

export class ProgressReporter extends LoopingService {
  private drawn = 0
  private readonly loggedAt = new Map<string, number>()

  constructor(private readonly options: ProgressReporterOptions) {
    const intervalMs = options.terminal.isTty ? drawEveryMs : logEveryMs
    super({ name: "progress", clock: options.clock, logger: options.logger, intervalMs })
  }

  async runOnce(): Promise<undefined> {
    const { terminal } = this.options
    const chains = this.options.chains()
    if (chains.length === 0) return undefined
    if (terminal.isTty) await this.draw(chains)
    else for (const chain of chains) await this.log(chain)
  }

  override async stop(): Promise<void> {
    await super.stop()
    this.options.terminal.status("")
  }

  /** One line for all chains: each is shown for two seconds. */
  private async draw(chains: readonly ChainView[]): Promise<void> {
    const { terminal, env = process.env } = this.options
    const chain = chains[Math.floor(this.drawn++ / 4) % chains.length]!
    const status = await readOr(chain)
    if (!status) {
      const text = `${chain.name}  the database cannot be reached; retrying`
      return terminal.status(text.slice(0, terminal.columns - 1))
    }
    const colour = wantsColour({ isTTY: terminal.isTty, write: () => undefined }, env)
    terminal.status(progressLine(status, chain.diagnosis(), { columns: terminal.columns, colour }))
  }

  private async log(chain: ChainView): Promise<void> {
    const status = await readOr(chain)
    // The stall doctor reports the outage.
    if (!status) return
    const now = this.clock.monotonic()
    const quiet = status.etaMs === 0
    const last = this.loggedAt.get(chain.name)
    if (quiet && last !== undefined && now - last < quietLogEveryMs) return
    this.loggedAt.set(chain.name, now)
    this.logger.info({ chain: chain.name, ...progressFields(status) }, quiet ? "following the head" : "indexing")
  }
}

async function readOr(chain: ChainView): Promise<ChainStatus | undefined> {
  try {
    return await chain.status()
  } catch (error) {
    if (isIndexerError(error)) return undefined
    throw error
  }
}
