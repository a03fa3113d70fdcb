// The chain server as a process of its own, of what a SpawnChainServerOptions says:
// `npx tsx test/chain/server.ts '{ "blocks": 20000, "disk": true, "port": 8545 }'`. Prints one JSON line with its addresses when it is ready.
// GET /stats shows the traffic, GET /stats?reset=1 also clears it.

import type { SpawnChainServerOptions } from "../support/chain-server.js"
import { ChainServer } from "./chain-server.js"
import { openDatasetChain } from "./dataset-chain.js"
import { createChain } from "./synthetic-chain.js"

function openChain({ disk, cacheDir, cacheMb, ...options }: SpawnChainServerOptions) {
  if (!disk && cacheDir === undefined) return createChain(options)
  return openDatasetChain(options, {
    ...(cacheDir === undefined ? {} : { cacheDir }),
    ...(cacheMb === undefined ? {} : { cacheBytes: cacheMb * 1024 * 1024 }),
    onProgress: ({ blocks, bytes }) => {
      process.stderr.write(`making the dataset: block ${blocks}, ${Math.round(bytes / 1e6)} MB\n`)
    },
  })
}

async function main(): Promise<void> {
  const options = JSON.parse(process.argv[2] ?? "{}") as SpawnChainServerOptions
  const chain = openChain(options)
  const server = new ChainServer(chain, options)
  const address = await server.start()
  const stop = () => {
    void server.stop().then(() => {
      chain.close()
      process.exit(0)
    })
  }
  process.once("SIGINT", stop)
  process.once("SIGTERM", stop)
  // Standard input ends with the parent, and this never outlives it.
  if (!process.stdin.isTTY) process.stdin.once("end", stop).resume()
  process.stdout.write(`${JSON.stringify(address)}\n`)
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
