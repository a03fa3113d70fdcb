// A chain's status as metrics, set after every run of the stall doctor.

import { countHeights } from "../domain/range-set.js"
import type { Metrics } from "../platform/metrics.js"
import type { ChainStatus, WorkerStatus } from "./chain-status.js"
import { type Diagnosis, healthStates, stallCauses } from "./diagnosis.js"

/** The status is undefined while the database is unavailable: the last known values then stay. */
export function exportStatus(
  { gauges }: Metrics,
  { chain, status, diagnosis }: { chain: string; status: ChainStatus | undefined; diagnosis: Diagnosis },
): void {
  gauges.databaseUp.set({ chain }, status ? 1 : 0)
  for (const state of healthStates) gauges.healthState.set({ chain, state }, diagnosis.state === state ? 1 : 0)
  for (const cause of stallCauses) gauges.stall.set({ chain, cause }, diagnosis.cause === cause ? 1 : 0)
  if (!status) return
  gauges.start.set({ chain }, status.start)
  gauges.epoch.set({ chain }, status.epoch)
  gauges.history.set({ chain }, status.percent / 100)
  if (status.derivedPercent !== null) gauges.derived.set({ chain }, status.derivedPercent / 100)
  gauges.processes.set({ chain }, status.processes.length)
  if (status.head !== null) gauges.head.set({ chain }, status.head)
  if (status.finalized !== null) gauges.finalized.set({ chain }, status.finalized)
  if (status.headAgeMs !== null) gauges.headAge.set({ chain }, status.headAgeMs / 1_000)
  if (status.store.rawBytes !== null) gauges.storeBytes.set({ chain, store: "raw" }, status.store.rawBytes)
  if (status.store.appBytes !== null) gauges.storeBytes.set({ chain, store: "app" }, status.store.appBytes)
  if (status.store.freeBytes !== null) gauges.storeFree.set({ chain }, status.store.freeBytes)
  if (status.daysToFull !== null) gauges.daysToFull.set({ chain }, status.daysToFull)
  for (const { label: provider, state, head } of status.providers) {
    gauges.providerUp.set({ chain, provider }, state === "open" ? 0 : 1)
    if (!head) continue
    gauges.providerHead.set({ chain, provider }, head.height)
    gauges.providerFrozen.set({ chain, provider }, head.fault === "frozen" ? 1 : 0)
  }
  for (const worker of status.workers) exportWorker(gauges, { chain, status: worker })
}

function exportWorker(gauges: Metrics["gauges"], { chain, status }: { chain: string; status: WorkerStatus }): void {
  const labels = { chain, worker: status.worker }
  gauges.watermark.set(labels, status.watermark ?? -1)
  gauges.coverage.set(labels, countHeights(status.coverage))
  gauges.skipped.set(labels, countHeights(status.skipped))
  gauges.gaps.set(labels, status.gaps.length)
  gauges.gapBlocks.set(labels, countHeights(status.gaps))
  gauges.deadBlocks.set(labels, status.leases.dead)
  gauges.openErrors.set(labels, status.openErrors)
  gauges.paused.set(labels, status.registration?.paused ? 1 : 0)
  gauges.rate.set(labels, status.blocksPerSecond.last60s)
  if (status.lag !== null) gauges.lag.set(labels, status.lag)
  for (const [name, count] of Object.entries(status.leases)) {
    gauges.leases.set({ ...labels, status: name.toUpperCase() }, count)
  }
}
