// A thread that runs batches of seeds, one after the other.

import { parentPort } from "node:worker_threads"
import { openLaboratory } from "./laboratory.js"
import { useLightAbort } from "./light-abort.js"
import { runSeeds, type SeedBatch } from "./run-seeds.js"

useLightAbort()
// Stack traces are a tenth of what an error costs, and are not read.
Error.stackTraceLimit = 0
const port = parentPort!
const laboratory = await openLaboratory()
port.on("message", async (batch: SeedBatch) => port.postMessage(await runSeeds(laboratory, batch)))
