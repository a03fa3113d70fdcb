// What `verify` and `repair` share: their flags, and the display of their progress.

import type { VerifyChainOptions } from "../operations/verify-chain.js"
import type { Config } from "../platform/load-config.js"
import { Terminal } from "../platform/terminal.js"
import { withVerifier } from "../roles/with-verifier.js"
import type { CheckName } from "../verify/finding.js"
import { selfChecks, type VerifyDeps, type VerifyProgress } from "../verify/verify-store.js"
import type { CliIo } from "./cli-io.js"
import type { FoundChain } from "./find-chains.js"
import { formatPercent } from "./format-values.js"
import { chainFlags, heightFlag, usage } from "./parse-flags.js"

export const verifyFlags = {
  ...chainFlags,
  from: "string",
  to: "string",
  rpc: "string",
  whole: "boolean",
  limit: "string",
  checks: "string",
} as const

export interface VerifyRequest extends Pick<VerifyChainOptions, "range" | "whole" | "limit" | "only"> {
  readonly rpc: string | undefined
}

const defaultLimit = 1_000
const plainEveryMs = 10_000
const drawEveryMs = 200
const barCells = 24

export function verifyRequest(
  flags: { readonly [Name in "from" | "to" | "rpc" | "limit" | "checks"]: string | undefined } & {
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
  const only = flags.checks === undefined ? undefined : checksOf(flags.checks, command)
  return { range: isAll ? undefined : range, rpc: flags.rpc, whole, limit, only }
}

function checksOf(text: string, command: string): readonly CheckName[] {
  return text.split(",").map((name) => {
    const check = selfChecks.find((one) => one === name.trim())
    if (check) return check
    throw usage(`--checks has ${JSON.stringify(name)}, but must be a comma list of ${selfChecks.join(", ")}`, command)
  })
}

export async function verifying<T>(
  io: CliIo,
  { chain, config, request: { rpc, ...request } }: { chain: FoundChain; config: Config; request: VerifyRequest },
  look: (verifier: VerifyDeps, options: VerifyChainOptions) => Promise<T>,
): Promise<T> {
  const { family, checks } = chain
  const store = { family, checks, rawUrl: chain.raw.url, appUrl: chain.app.url, configFile: config.file, rpc }
  const progress = progressShower(io, chain.name)
  try {
    return await withVerifier(io, store, (verifier) =>
      look(verifier, { ...request, signal: io.signal, onProgress: progress.show }),
    )
  } finally {
    progress.end()
  }
}

/** A bar on a terminal, a plain line every ten seconds elsewhere; on standard error, apart from the result. */
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
