// What every process reports about a chain: its status, what blocks it, and that this process is alive.

import { hostname } from "node:os"
import type { ChainStatus } from "../status/chain-status.js"
import { exportStatus } from "../status/export-status.js"
import { ProcessReporter } from "../status/process-reporter.js"
import type { ProcessState } from "../status/process-state.js"
import { readChainStatus } from "../status/read-chain-status.js"
import { StallDoctor } from "../status/stall-doctor.js"
import { storeSizeReader } from "../status/store-size.js"
import type { OpenChain } from "./open-chain.js"

export interface WatchedChain {
  readonly status: () => Promise<ChainStatus>
  readonly doctor: StallDoctor
  readonly reporter: ProcessReporter
}

export function watchChain(open: OpenChain, state: () => ProcessState): WatchedChain {
  const { family, raw, app, clock, logger, metrics, name, settings, roles, version } = open
  const storeSize = storeSizeReader(
    { raw, app },
    {
      clock,
      capacityBytes: open.chain.dbCapacityBytes,
      // The embedded server's, on this machine's disk.
      directory: open.chain.dbRawUrl ? undefined : settings.dataDir,
    },
  )
  const status = (): Promise<ChainStatus> => readChainStatus(open, { name, family, app, storeSize })
  const doctor = new StallDoctor({
    chain: name,
    read: status,
    clock,
    logger,
    stallAfterMs: settings.stallAfterMs,
    onDiagnosis: (diagnosis, seen) => exportStatus(metrics, { chain: name, diagnosis, status: seen }),
  })
  const reporter = new ProcessReporter({
    database: raw,
    clock,
    logger,
    id: open.processId,
    host: hostname(),
    pid: process.pid,
    roles,
    version,
    httpUrl: () => open.httpUrl,
    state: () => ({
      ...state(),
      workForMs: doctor.workForMs(),
      freeBytes: doctor.lastStatus()?.store.freeBytes ?? null,
    }),
  })
  return { status, doctor, reporter }
}
