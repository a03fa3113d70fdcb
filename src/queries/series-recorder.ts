// How far a chain was over the last hour, for sparklines: a ring in the memory of the process, read from the databases every
// ten seconds. It starts empty with the process; what has to be kept longer is a matter for Prometheus.

import { countHeights } from "../domain/range-set.js"
import { LoopingService, type LoopOptions } from "../platform/looping-service.js"
import { readCoverage, workerWatermark } from "./read-coverage.js"
import type { ServedChain } from "./served-chain.js"

interface WorkerSample {
  readonly watermark: number | null
  readonly covered: number
  readonly lag: number | null
}

interface Sample {
  /** Milliseconds of the wall clock. */
  readonly at: number
  readonly head: number | null
  readonly workers: ReadonlyMap<string, WorkerSample>
}

export interface SeriesRecorderOptions extends Omit<LoopOptions, "name" | "intervalMs"> {
  readonly chain: ServedChain
}

const seriesIntervalMs = 10_000
const keptSamples = 360
/** Declared by a config, and few; a store that was filled with others must not fill the memory. */
const mostWorkers = 200

export class SeriesRecorder extends LoopingService {
  readonly chain: string
  private samples: Sample[] = []

  constructor(private readonly options: SeriesRecorderOptions) {
    super({ ...options, name: "series-recorder", intervalMs: seriesIntervalMs })
    this.chain = options.chain.name
  }

  async runOnce(): Promise<undefined> {
    const { chain, clock } = this.options
    const { head } = await chain.head()
    const { start, workers } = await readCoverage(chain)
    const known = workers.slice(0, mostWorkers).map((worker): [string, WorkerSample] => {
      const tip = (worker.covered.at(-1)?.to ?? start) - 1
      const lag = head === null ? null : Math.max(0, head - tip)
      return [worker.worker, { watermark: workerWatermark(start, worker), covered: countHeights(worker.covered), lag }]
    })
    this.samples.push({ at: clock.now(), head, workers: new Map(known) })
    if (this.samples.length > keptSamples) this.samples.shift()
  }

  /** The newest `points` samples, a column for each figure; null where a worker was not known or grew by nothing known. */
  series(points: number) {
    const from = Math.max(0, this.samples.length - points)
    const shown = this.samples.slice(from)
    const names = [...new Set(shown.flatMap(({ workers }) => [...workers.keys()]))]
    const text = (height: number | null | undefined): string | null => (height == null ? null : String(height))
    return {
      chain: this.chain,
      interval_ms: seriesIntervalMs,
      at: shown.map(({ at }) => new Date(at).toISOString()),
      head_height: shown.map(({ head }) => text(head)),
      workers: names.map((worker) => ({
        worker,
        watermark_height: shown.map(({ workers }) => text(workers.get(worker)?.watermark)),
        lag_blocks: shown.map(({ workers }) => workers.get(worker)?.lag ?? null),
        blocks_per_second: shown.map((sample, at) => rate(this.samples[from + at - 1], sample, worker)),
      })),
    }
  }
}

/** Negative while blocks are rolled back. */
function rate(before: Sample | undefined, sample: Sample, worker: string): number | null {
  const [was, is] = [before?.workers.get(worker), sample.workers.get(worker)]
  if (!before || !was || !is || sample.at <= before.at) return null
  return Math.round(((is.covered - was.covered) * 100_000) / (sample.at - before.at)) / 100
}
