// A thread that runs the batches of seeds it is given, one after the other.

import { parentPort } from "node:worker_threads"
import { openLaboratory } from "./laboratory.js"
import { useLightAbort } from "./light-abort.js"
import { runSeeds, type SeedBatch } from "./run-seeds.js"

useLightAbort()
// Nobody looks at them, and they are a tenth of what an error costs.
Error.stackTraceLimit = 0
const port = parentPort!
const laboratory = await openLaboratory()
port.on("message", async (batch: SeedBatch) => port.postMessage(await runSeeds(laboratory, batch)))
