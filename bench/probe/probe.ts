// The bare probe: the least a Node program has to do for the same rows. A worker thread fetches, parses and encodes, this
// one writes. No verification, no fences, no leases, no retries: any fault ends it.

import { parseArgs } from "node:util"
import { Worker } from "node:worker_threads"
import type { ProbeInput, ProbeRange } from "./probe-worker.js"
import { Writers } from "./writers.js"

const { values } = parseArgs({
  options: {
    rpc: { type: "string" },
    database: { type: "string" },
    blocks: { type: "string" },
    writers: { type: "string", default: "1" },
    "range-blocks": { type: "string", default: "200" },
    "batch-blocks": { type: "string", default: "8" },
    requests: { type: "string", default: "6" },
  },
})
const writers = await Writers.open(values.database!, Number(values.writers))
const workerData: ProbeInput = {
  rpcUrl: values.rpc!,
  blocks: Number(values.blocks),
  rangeBlocks: Number(values["range-blocks"]),
  batchBlocks: Number(values["batch-blocks"]),
  requests: Number(values.requests),
}
const worker = new Worker(new URL("./probe-worker.js", import.meta.url), { workerData })
let queue = Promise.resolve()
await new Promise<void>((resolve, reject) => {
  worker.on("error", reject)
  worker.on("message", (message: ProbeRange | "done") => {
    if (message === "done") return resolve()
    const buffers = message.map((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    queue = queue.then(() => writers.write(buffers, () => worker.postMessage("written")))
    queue.catch(reject)
  })
})
await queue
await writers.end()
await worker.terminate()
