// What a check of the whole store needs: a separate connection to each database, the declared workers, and the node to
// compare with, if one is given.

import { postgresLedgers } from "../coordination/postgres/postgres-ledgers.js"
import type { ChainFamily } from "../families/chain-family.js"
import { silentLogger } from "../platform/logger.js"
import type { RuntimeDeps } from "../platform/service.js"
import { Connection } from "../postgres/connection.js"
import { readChainState } from "../raw/chain-state.js"
import type { VerifyDeps } from "../verify/verify-store.js"
import { loadWorkers } from "./load-workers.js"

export interface WithVerifierOptions {
  readonly family: ChainFamily
  readonly rawUrl: string
  readonly appUrl: string
  readonly configFile: string | undefined
  /** Of blocks, as configured for the chain. */
  readonly checks: Readonly<Record<string, boolean>>
  /** Another node, to compare with. */
  readonly rpc: string | undefined
}

/** Opens the connections, runs the work and closes them. */
export async function withVerifier<T>(
  { clock, random }: Omit<RuntimeDeps, "logger">,
  { family, rawUrl, appUrl, configFile, checks, rpc }: WithVerifierOptions,
  work: (verifier: VerifyDeps) => Promise<T>,
): Promise<T> {
  const registry = await loadWorkers({ family, configFile, chain: { workers: "all" } })
  const open: (() => Promise<void>)[] = []
  const connect = async (url: string): Promise<Connection> => {
    const connection = await Connection.open({
      url,
      applicationName: "tidemark verify",
      longestStatementMs: 3_600_000,
    })
    open.push(() => connection.end())
    return connection
  }
  try {
    const raw = await connect(rawUrl)
    const app = await connect(appUrl)
    const chainId = (await readChainState(raw))?.chainId
    const exceptions = chainId === undefined ? [] : family.storeExceptions(chainId, { checks })
    const source =
      rpc === undefined
        ? undefined
        : family.createSource({ clock, random, logger: silentLogger }, { chain: { rpcUrls: [rpc], checks }, chainId })
    if (source) open.push(() => source.close())
    return await work({ raw, app, ledgers: postgresLedgers({ random }), registry, family, exceptions, clock, source })
  } finally {
    for (const close of open) await close()
  }
}
