// No coverage exceeds its basis: app's copy lies within raw's coverage, a worker's within the copy and its
// dependencies.

import type { CoverageByWorker } from "../coordination/coverage-ledger.js"
import { rawIngester } from "../coordination/raw-ingester.js"
import type { BlockRange } from "../domain/block-range.js"
import { intersect, type RangeSet, subtract, union } from "../domain/range-set.js"
import type { WorkerRegistry } from "../workers/worker-registry.js"
import type { Finding, Remedy } from "./finding.js"

export const heightsOf = (coverage: CoverageByWorker, worker: string): RangeSet => coverage.get(worker)?.heights ?? []

const doneOf = (coverage: CoverageByWorker, worker: string): RangeSet =>
  union(heightsOf(coverage, worker), coverage.get(worker)?.skipped ?? [])

export function checkCoverage(
  { raw, app }: { raw: CoverageByWorker; app: CoverageByWorker },
  { registry, range }: { registry: WorkerRegistry; range: BlockRange },
): Finding[] {
  const findings: Finding[] = []
  const compare = (
    worker: string,
    { ahead, of, remedy }: { ahead: RangeSet; of: string; remedy: (heights: BlockRange) => Remedy },
  ): void => {
    for (const heights of intersect(ahead, [range])) {
      findings.push({
        check: "coverage",
        table: "app.coverage",
        heights,
        key: { worker_type: worker },
        message: `${worker} covers [${heights.from}, ${heights.to}) in app, which ${of} does not`,
        remedy: remedy(heights),
      })
    }
  }
  compare(rawIngester, {
    ahead: subtract(doneOf(app, rawIngester), doneOf(raw, rawIngester)),
    of: "the raw store",
    remedy: (heights) => ({ kind: "refetch", heights }),
  })
  for (const { name, dependencies = [] } of registry.workers) {
    for (const dependency of [rawIngester, ...dependencies]) {
      compare(name, {
        ahead: subtract(heightsOf(app, name), doneOf(app, dependency)),
        of: dependency,
        remedy: (heights) => ({ kind: "rederive", worker: name, heights }),
      })
    }
  }
  return findings
}
