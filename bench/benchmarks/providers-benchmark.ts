// What each simulated provider sustains by wall time, against its limit of calls a second, or against as many and as large
// requests as it takes.

import { EvmSource } from "../../src/families/evm/source/evm-source.js"
import { systemClock } from "../../src/platform/clock.js"
import { silentLogger } from "../../src/platform/logger.js"
import { systemRandom } from "../../src/platform/random.js"
import { type MatrixEntry, providerMatrix } from "../../test/chain/provider-matrix.js"
import { type SimulatedProvider, startSimulatedProvider } from "../../test/chain/simulated-provider.js"
import { type Chain, createChain } from "../../test/chain/synthetic-chain.js"
import type { Benchmark } from "./benchmark.js"

const chainBlocks = 200_000
const warmUpS = 30
const measuredS = 60
/** As many as the product has for one range. */
const inFlight = 4
const wholeBatch = 200
/** Long enough that the provider and not this machine limits: with whole batches, and with small ones. */
const latencyMs = { whole: 500, small: 50 }

interface Measured {
  readonly name: string
  readonly perSecond: number
  readonly allowed: number
  readonly refusedPart: number
}

const now = (): number => performance.now() / 1_000

function isSmall({ providers: [first] }: MatrixEntry): boolean {
  return first?.maxBatch !== undefined || first?.maxBatchBytes !== undefined
}

function latencyOf(entry: MatrixEntry): number {
  return entry.callsPerSecond !== undefined ? 0 : latencyMs[isSmall(entry) ? "small" : "whole"]
}

async function startProviders(entry: MatrixEntry): Promise<{ chain: Chain; servers: SimulatedProvider[] }> {
  const chain = createChain({ blocks: chainBlocks, transactionsPerBlock: 1, logsPerBlock: 1, holders: 100 })
  const rules = entry.providers.map((each) => ({ ...each, latencyMs: latencyOf(entry) }))
  const servers = await Promise.all(rules.map((each) => startSimulatedProvider({ chain, rules: each, now })))
  return { chain, servers }
}

async function measure(entry: MatrixEntry): Promise<Measured> {
  const { name } = entry
  const { chain, servers } = await startProviders(entry)
  const allowed = allowedBy(entry, chain)
  const source = new EvmSource(
    { clock: systemClock, random: systemRandom, logger: silentLogger },
    { providers: servers.map(({ url }) => ({ url })), expectedChainId: String(chain.options.chainId) },
  )
  const sum = (of: "useful" | "refused") => servers.reduce((all, server) => all + server[of], 0)
  const over = new AbortController()
  const fetching = consume(source, over.signal)
  const sleep = (s: number) => Promise.race([systemClock.sleep(s * 1_000), fetching])
  await sleep(warmUpS)
  const before = { useful: sum("useful"), refused: sum("refused"), at: now() }
  await sleep(measuredS)
  const [seconds, useful, refused] = [
    now() - before.at,
    sum("useful") - before.useful,
    sum("refused") - before.refused,
  ]
  over.abort(new Error("measured"))
  await fetching
  await source.close()
  for (const server of servers) await server.stop()
  return { name, perSecond: useful / seconds, allowed, refusedPart: refused / Math.max(1, useful + refused) }
}

async function consume(source: EvmSource, signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of source.fetchRange({ from: 0, to: chainBlocks + 1 }, { signal }));
    throw new Error("the chain is too short to be measured")
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Calls a second of a client that makes no mistake: every request as large as it may be, and always as many in flight. */
function allowedBy(entry: MatrixEntry, chain: Chain): number {
  const { maxBatch = wholeBatch, maxBatchBytes } = entry.providers.at(-1)!
  const pairBytes = chain.block(1, "full").length + chain.block(1, "receipts").length
  const calls = maxBatchBytes === undefined ? maxBatch : 2 * Math.floor(maxBatchBytes / pairBytes)
  return entry.callsPerSecond ?? (inFlight * calls * 1_000) / latencyOf(entry)
}

export const providersBenchmark: Benchmark = {
  title: "Providers",
  async run({ say }) {
    const measured = new Map<string, Measured>()
    const run = async (entry: MatrixEntry) => void measured.set(entry.name, await measure(entry))
    const isLight = (entry: MatrixEntry) => entry.callsPerSecond !== undefined || isSmall(entry)
    say("those with few calls a second, side by side")
    await Promise.all(providerMatrix.filter(isLight).map(run))
    say("those with many, side by side")
    await Promise.all(providerMatrix.filter((entry) => !isLight(entry)).map(run))
    return {
      tables: [
        {
          columns: ["provider", "calls/s", "allowed", "of what is allowed", "refused"],
          rows: providerMatrix.map(({ name }) => {
            const { perSecond, allowed, refusedPart } = measured.get(name)!
            const share = (perSecond / allowed).toFixed(2)
            return [name, perSecond.toFixed(0), allowed.toFixed(0), share, `${(100 * refusedPart).toFixed(1)} %`]
          }),
        },
      ],
      notes: [
        `Calls that were answered for the first time in ${measuredS} s of wall time, after ${warmUpS} s to find the limits; the product is configured with none of them. Goal: 0.8.`,
        `"allowed" is the limit where calls a second are limited. Elsewhere each request takes ${latencyMs.whole} ms, or ${latencyMs.small} ms where batches are small, and "allowed" is ${inFlight} requests in flight at any time, each as large as it may be: no more than ${wholeBatch} calls. Providers are measured side by side, those with few calls a second first.`,
      ],
    }
  },
}
