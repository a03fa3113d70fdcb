// The command line of the chain server: `npx tsx test/chain/server.ts --blocks 20000 --disk --port 8545`.
// Prints one JSON line with its addresses when it is ready.

import { parseArgs } from "node:util"
import type { ChainOptions } from "./chain-options.js"
import { ChainServer } from "./chain-server.js"
import { type OpenDatasetOptions, openDatasetChain } from "./dataset-chain.js"
import { createChain } from "./synthetic-chain.js"

const usage = `Options of the chain
  --blocks N --seed N --transactions N --logs N --holders N --chain-id N
  --real-roots  --fork-at H --fork-seed N  --huge-block-at H --huge-block-logs N
  --disk                 made once under --cache-dir (default .cache/chain), then read from there
  --cache-dir DIR        implies --disk
  --cache-mb N           most memory for blocks read from disk (512)
Options of the server
  --host A --port N      127.0.0.1, and a free port
  --latency-ms N         added to every answer
  --start-head H --block-ms N   a growing head
  --finality N           finalized = head - N
  --no-receipts-method   eth_getBlockReceipts is answered with -32601
  --max-batch N          longer batches are refused
  --lifeline             ends when standard input does, so that it never outlives its parent
GET /stats shows the traffic, GET /stats?reset=1 also clears it.`

const flags = {
  help: { type: "boolean" },
  blocks: { type: "string" },
  seed: { type: "string" },
  transactions: { type: "string" },
  logs: { type: "string" },
  holders: { type: "string" },
  "chain-id": { type: "string" },
  "real-roots": { type: "boolean" },
  "fork-at": { type: "string" },
  "fork-seed": { type: "string" },
  "huge-block-at": { type: "string" },
  "huge-block-logs": { type: "string" },
  disk: { type: "boolean" },
  "cache-dir": { type: "string" },
  "cache-mb": { type: "string" },
  host: { type: "string" },
  port: { type: "string" },
  "latency-ms": { type: "string" },
  "start-head": { type: "string" },
  "block-ms": { type: "string" },
  finality: { type: "string" },
  "no-receipts-method": { type: "boolean" },
  "max-batch": { type: "string" },
  lifeline: { type: "boolean" },
} as const

const values = readFlags()

type Flag = keyof typeof flags

function readFlags() {
  try {
    return parseArgs({ options: flags }).values
  } catch (error) {
    return fail(error)
  }
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n--help lists the options.\n`)
  process.exit(1)
}

/** `{ [key]: number }`, or nothing when the flag was not given. */
function numeric<Key extends string>(key: Key, flag: Flag): { [K in Key]?: number } {
  const text = values[flag]
  if (text === undefined) return {}
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`--${flag} is ${text}; it takes a whole number from 0`)
  }
  return { [key]: value } as { [K in Key]?: number }
}

function openChain() {
  const options: ChainOptions = {
    ...numeric("blocks", "blocks"),
    ...numeric("seed", "seed"),
    ...numeric("transactionsPerBlock", "transactions"),
    ...numeric("logsPerBlock", "logs"),
    ...numeric("holders", "holders"),
    ...numeric("chainId", "chain-id"),
    ...numeric("forkAt", "fork-at"),
    ...numeric("forkSeed", "fork-seed"),
    ...numeric("hugeBlockAt", "huge-block-at"),
    ...numeric("hugeBlockLogs", "huge-block-logs"),
    realRoots: values["real-roots"] ?? false,
  }
  if (!values.disk && values["cache-dir"] === undefined) return createChain(options)
  const { cacheMb } = numeric("cacheMb", "cache-mb")
  const dataset: OpenDatasetOptions = {
    ...(values["cache-dir"] === undefined ? {} : { cacheDir: values["cache-dir"] }),
    ...(cacheMb === undefined ? {} : { cacheBytes: cacheMb * 1024 * 1024 }),
    onProgress: ({ blocks, bytes }) => {
      process.stderr.write(`making the dataset: block ${blocks}, ${Math.round(bytes / 1e6)} MB\n`)
    },
  }
  return openDatasetChain(options, dataset)
}

async function main(): Promise<void> {
  if (values.help) {
    process.stdout.write(`${usage}\n`)
    return
  }
  const chain = openChain()
  const server = new ChainServer(chain, {
    ...numeric("port", "port"),
    ...numeric("latencyMs", "latency-ms"),
    ...numeric("startHead", "start-head"),
    ...numeric("blockMs", "block-ms"),
    ...numeric("finality", "finality"),
    ...numeric("maxBatch", "max-batch"),
    ...(values.host === undefined ? {} : { host: values.host }),
    receiptsMethod: !values["no-receipts-method"],
  })
  const address = await server.start()
  const stop = () => {
    void server.stop().then(() => {
      chain.close()
      process.exit(0)
    })
  }
  process.once("SIGINT", stop)
  process.once("SIGTERM", stop)
  if (values.lifeline) process.stdin.once("end", stop).resume()
  process.stdout.write(`${JSON.stringify(address)}\n`)
}

await main().catch(fail)
