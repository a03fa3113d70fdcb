// A synthetic EVM node for tests: in this process, where a test drives its head and forks, or as a child process,
// where it does not take time from the thread that is measured.

import { spawn } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import { createInterface } from "node:readline"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { ChainOptions } from "../chain/chain-options.js"
import { ChainServer, type ChainServerAddress, type ChainServerOptions } from "../chain/chain-server.js"
import type { StatsSnapshot } from "../chain/server-stats.js"
import { type Chain, createChain } from "../chain/synthetic-chain.js"

export interface StartChainServerOptions extends ChainOptions, ChainServerOptions {
  /** Served instead of one made from the chain options. */
  readonly chain?: Chain
}

export interface RunningChainServer {
  readonly url: string
  readonly wsUrl: string
  /** The chain at start; after a reorg, `server.chain` is the present one. */
  readonly chain: Chain
  readonly server: ChainServer
  setHead(head: number): void
  reorg(toFork: Chain, head?: number): void
  pause(): void
  resume(): void
  stats(options?: { readonly reset?: boolean }): StatsSnapshot
  stop(): Promise<void>
}

export async function startChainServer(options: StartChainServerOptions = {}): Promise<RunningChainServer> {
  const chain = options.chain ?? createChain(options)
  const server = new ChainServer(chain, options)
  const { url, ws } = await server.start()
  return {
    url,
    wsUrl: ws,
    chain,
    server,
    setHead: (head) => server.setHead(head),
    reorg: (toFork, head) => server.reorg(toFork, head),
    pause: () => server.pause(),
    resume: () => server.resume(),
    stats: (which) => server.stats(which),
    stop: () => server.stop(),
  }
}

export interface SpawnChainServerOptions extends ChainOptions, ChainServerOptions {
  /** Serve from disk, under the default cache folder or this one. */
  readonly disk?: boolean
  readonly cacheDir?: string
  readonly cacheMb?: number
}

export interface SpawnedChainServer {
  readonly url: string
  readonly wsUrl: string
  readonly pid: number
  stats(options?: { readonly reset?: boolean }): Promise<StatsSnapshot>
  stop(): Promise<void>
}

const serverFile = fileURLToPath(new URL("../chain/server.ts", import.meta.url))

// Resolved from here, because the child looks from its working directory, which may be anywhere.
export const tsxLoader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href

export async function spawnChainServer(options: SpawnChainServerOptions = {}): Promise<SpawnedChainServer> {
  const child = spawn(process.execPath, ["--import", tsxLoader, serverFile, JSON.stringify(options)], {
    stdio: ["pipe", "pipe", "pipe"],
  })
  let complaints = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints = (complaints + text).slice(-4_096)
  })
  // "close" comes after the last of its output, "exit" may come before.
  const exited = once(child, "close")
  const firstLine = once(createInterface(child.stdout), "line") as Promise<[string]>
  const ready = await Promise.race([firstLine, exited.then(([code]) => code as number | null)])
  if (!Array.isArray(ready)) {
    throw new Error(`the chain server ended with code ${ready} before it was ready: ${complaints.trim()}`)
  }
  const { url, ws } = JSON.parse(ready[0]) as ChainServerAddress
  return {
    url,
    wsUrl: ws,
    pid: child.pid!,
    stats: async (which) => {
      const answer = await fetch(`${url}/stats${which?.reset ? "?reset=1" : ""}`)
      return (await answer.json()) as StatsSnapshot
    },
    stop: async () => {
      child.kill("SIGTERM")
      await exited
    },
  }
}
