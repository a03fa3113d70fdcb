// What `verify` and `repair` have in common: checks one chain's store, shows how far it is, and gives what is wrong.

import { createEvmSource } from "../families/evm/source/evm-source.js"
import type { Config } from "../platform/load-config.js"
import { silentLogger } from "../platform/logger.js"
import { Terminal } from "../platform/terminal.js"
import { Connection } from "../postgres/connection.js"
import { readChainState } from "../raw/chain-state.js"
import { loadWorkers } from "../roles/load-workers.js"
import type { CheckName, Finding } from "../verify/finding.js"
import { selfChecks, type VerifyProgress, verifyStore } from "../verify/verify-store.js"
import type { CliIo } from "./cli-io.js"
import { type FoundChain, isMissingSchema, missingSchema } from "./find-chains.js"
import { formatPercent } from "./format-values.js"
import { heightFlag, usage } from "./parse-flags.js"

export const verifyFlags = {
  chain: "string",
  config: "string",
  from: "string",
  to: "string",
  rpc: "string",
  whole: "boolean",
  limit: "string",
  json: "boolean",
} as const

export interface VerifyRequest {
  /** Half-open; what is left out reaches to the end of what is stored. */
  readonly range: { from?: number; to?: number } | undefined
  readonly rpc: string | undefined
  /** Every block is fetched from that node and compared. */
  readonly whole: boolean
  readonly limit: number
}

export interface ChainFindings {
  readonly chain: string
  readonly findings: readonly Finding[]
  /** There may be more: it stopped at the limit, or was stopped. */
  readonly cut: boolean
}

const defaultLimit = 1_000
const plainEveryMs = 10_000
const drawEveryMs = 200
const barCells = 24

export function verifyRequest(
  flags: { readonly [Name in "from" | "to" | "rpc" | "limit"]: string | undefined } & {
    readonly whole: boolean | undefined
  },
  command: string,
): VerifyRequest {
  const from = flags.from === undefined ? undefined : heightFlag(flags.from, command, "from")
  const last = flags.to === undefined ? undefined : heightFlag(flags.to, command, "to")
  if (from !== undefined && last !== undefined && last < from) throw usage("--to is below --from", command)
  const limit = flags.limit === undefined ? defaultLimit : Number(flags.limit)
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw usage(`--limit is ${JSON.stringify(flags.limit)}, but must be a number above 0`, command)
  const whole = flags.whole === true
  if (whole && flags.rpc === undefined) throw usage("--whole compares with a node: it needs --rpc", command)
  const range = {
    ...(from === undefined ? {} : { from }),
    // Heights that people give are inclusive.
    ...(last === undefined ? {} : { to: last + 1 }),
  }
  const isAll = from === undefined && last === undefined
  return { range: isAll ? undefined : range, rpc: flags.rpc, whole, limit }
}

export async function verifyChain(
  io: CliIo,
  {
    chain,
    config,
    request,
    withFolds,
  }: {
    chain: FoundChain
    config: Config
    request: VerifyRequest
    /** State is of no height: it is compared as a whole or not at all. */
    withFolds: boolean
  },
): Promise<ChainFindings> {
  const registry = await loadWorkers({ configFile: config.file, chain: { workers: "all" } })
  const open: { close(): Promise<void> }[] = []
  const connect = async (url: string): Promise<Connection> => {
    const connection = await Connection.open({ url, applicationName: "tidemark verify" })
    open.push({ close: () => connection.end() })
    return connection
  }
  const progress = progressShower(io, chain.name)
  const { signal } = io
  const findings: Finding[] = []
  try {
    const raw = await connect(chain.raw.url)
    const app = await connect(chain.app.url)
    const source = await secondNode(io, { raw, rpc: request.rpc })
    if (source) open.push(source)
    const checks: CheckName[] = selfChecks.filter((check) => check !== "folds" || withFolds)
    if (source) checks.push("node")
    const found = verifyStore(
      { raw, app, registry, clock: io.clock, source },
      { range: request.range, checks, whole: request.whole, signal, onProgress: progress.show },
    )
    for await (const finding of found) {
      if (findings.length === request.limit) return { chain: chain.name, findings, cut: true }
      findings.push(finding)
    }
    return { chain: chain.name, findings, cut: false }
  } catch (error) {
    // Ctrl-C: what was found so far is worth telling.
    if (signal.aborted) return { chain: chain.name, findings, cut: true }
    throw isMissingSchema(error) ? missingSchema(chain.raw.address, error) : error
  } finally {
    progress.end()
    for (const one of open) await one.close()
  }
}

async function secondNode(
  { clock, random }: CliIo,
  { raw, rpc }: { raw: Connection; rpc: string | undefined },
) {
  if (rpc === undefined) return undefined
  const state = await readChainState(raw)
  return createEvmSource(
    { clock, random, logger: silentLogger },
    { providers: [{ url: rpc }], expectedChainId: state?.chainId },
  )
}

/** A bar on a terminal, a plain line every ten seconds elsewhere; on standard error, where it is in nobody's way. */
function progressShower(
  { stderr, clock }: CliIo,
  name: string,
): { show: (progress: VerifyProgress) => void; end: () => void } {
  const terminal = new Terminal(stderr)
  let shownAt = clock.monotonic() - (terminal.isTty ? drawEveryMs : 0)
  return {
    show: ({ phase, done, total }) => {
      const now = clock.monotonic()
      if (now - shownAt < (terminal.isTty ? drawEveryMs : plainEveryMs)) return
      shownAt = now
      const share = total === 0 ? 1 : done / total
      const text = `${name}: ${phase} ${formatPercent(Math.floor(share * 1_000) / 10)}`
      const full = Math.floor(share * barCells)
      const bar = `${"█".repeat(full)}${"░".repeat(barCells - full)}`
      if (terminal.isTty) terminal.status(`${bar} ${text}`.slice(0, terminal.columns - 1))
      else terminal.line(text)
    },
    end: () => terminal.status(""),
  }
}
