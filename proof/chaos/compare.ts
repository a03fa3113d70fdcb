// The end of every scenario: all raw tables against what the independent checker makes of a node's answers, and by hand against those of one
// undisturbed process; all derived tables against what the checker makes of raw; what else is said of either (checkpoints, the outbox, what
// nodes were asked); and nothing left over.

import assert from "node:assert/strict"
import { quantile } from "../../bench/measure/statistics.js"
import type { DigestOptions } from "../../test/support/raw-digest.js"
import { checkRaw } from "../checker/check-raw.js"
import { formatReport } from "../checker/format-report.js"
import { foreignObservations } from "./foreign-observations.js"
import { type Stage, type StageOptions, undisturbed } from "./stage.js"
import { untoldRollbacks } from "./untold-rollbacks.js"
import { wrongCheckpoints } from "./wrong-checkpoints.js"

export interface CompareOptions {
  /** Where the undisturbed run takes place: never through a fault. */
  readonly against: Pick<StageOptions, "postgres" | "rpcUrl">
  readonly head: number
  readonly without?: DigestOptions
  /** Complaints, and errors of workers, that the fault itself explains. */
  readonly expected?: (complaint: string) => boolean
}

/** Returns what was compared, in words. Throws where anything differs. */
export async function compareRaw(stage: Stage, options: CompareOptions): Promise<string> {
  const { against, head, without, expected: isExpected = () => false } = options
  if (!stage.checkerOnly) assert.deepEqual(await stage.digest(without), await undisturbed(against, head, without))
  assert.equal(await stage.probe.coverage(), `{[0,${head + 1})}`)
  const report = await checkRaw({
    ...{ rawUrl: stage.url, rpcUrl: against.rpcUrl, to: head + 1 },
    withoutExtra: without?.columns?.includes("extra") ?? false,
  })
  assert.ok(report.ok, formatReport(report))
  assert.deepEqual(await wrongCheckpoints(stage.probe, "raw"), [])
  assert.deepEqual(await stage.probe.unfinished(), [])
  assert.deepEqual(
    stage.complaints().filter((complaint) => !isExpected(complaint)),
    [],
  )
  return `raw: ${number(rowsOf(report))} rows equal`
}

export async function compareAll(stage: Stage, options: CompareOptions): Promise<string> {
  const raw = await compareRaw(stage, options)
  const report = await stage.check()
  assert.equal(report.blocks, options.head + 1)
  assert.deepEqual(await wrongCheckpoints(stage.derived, "app"), [])
  assert.deepEqual(await foreignObservations({ raw: stage.probe, app: stage.derived }), [])
  assert.deepEqual(await untoldRollbacks(stage.derived), [])
  assert.deepEqual(await stage.derived.leases(), [])
  assert.deepEqual(
    (await stage.derived.errors()).filter((error) => !error.resolved && !options.expected?.(JSON.stringify(error))),
    [],
  )
  return `${raw}; derived: ${number(rowsOf(report))} rows equal`
}

/** Median, 99th percentile and the longest. */
export function times(ms: readonly number[]): string {
  if (ms.length === 0) return "none"
  if (ms.length === 1) return `${(ms[0]! / 1_000).toFixed(1)} s`
  const [median, p99, longest] = [0.5, 0.99, 1].map((part) => (quantile(ms, part) / 1_000).toFixed(1))
  return `median ${median} s, p99 ${p99} s, longest ${longest} s`
}

const rowsOf = ({ tables }: { readonly tables: readonly { readonly rowsFound: number }[] }): number =>
  tables.reduce((sum, { rowsFound }) => sum + rowsFound, 0)

const number = (n: number): string => n.toLocaleString("en-US")
