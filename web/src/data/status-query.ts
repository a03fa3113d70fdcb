// What /status says of one chain: how far it is, how fast, and what the doctor thinks of it.

import { queryOptions } from "@tanstack/react-query"
import { readJson } from "./read-json"

interface WorkerStatus {
  readonly worker: string
  readonly paused: boolean
  readonly percent: number
  readonly lag_blocks: number | null
  readonly blocks_per_second: { readonly last_10s: number; readonly last_60s: number }
  readonly leases: { readonly active: number; readonly failed: number; readonly dead: number }
  /** The first hundred. */
  readonly skipped: readonly { readonly from: string; readonly to: string }[]
}

interface OpenRollback {
  readonly from_height: string
  readonly to_height: string | null
  readonly reason: string | null
  readonly step: "app" | "raw" | null
  readonly done_blocks: number | null
  readonly total_blocks: number | null
  readonly eta_ms: number | null
  readonly failures: number
  readonly error_code: string | null
  readonly error: string | null
}

export interface ChainStatus {
  readonly chain: string
  readonly chain_id: string | null
  readonly start_height: string
  readonly head_height: string | null
  readonly head_age_ms: number | null
  readonly finalized_height: string | null
  readonly watermark_height: string | null
  readonly lag_blocks: number | null
  readonly history_percent: number | null
  readonly history_eta_ms: number | null
  readonly derived_percent: number | null
  readonly open_errors: number
  readonly rollback_open: boolean
  readonly rollback: OpenRollback | null
  /** Why ingestion has stopped until a person decides. */
  readonly halt: string | null
  readonly halt_height: string | null
  readonly halted_for_ms: number | null
  readonly store: {
    readonly raw_bytes: number | null
    readonly app_bytes: number | null
    readonly free_bytes: number | null
    readonly days_to_full: number | null
    readonly seconds_per_block: number | null
  }
  readonly workers: readonly WorkerStatus[]
  readonly processes: readonly unknown[]
  readonly dead_blocks: readonly unknown[]
  readonly diagnosis: {
    readonly state: "ok" | "starting" | "degraded" | "stalled"
    readonly message: string
    readonly doing: string | null
    readonly todo: string | null
  }
}

interface StatusAnswer {
  readonly chains: readonly ChainStatus[]
  readonly starting: readonly { readonly chain: string; readonly reason: string }[]
}

/** Of every chain of the server. */
export const allStatusQuery = queryOptions({
  queryKey: ["status"],
  queryFn: ({ signal }) => readJson<StatusAnswer>("/status", signal),
  staleTime: 5_000,
  refetchInterval: 10_000,
})

/** Undefined while the chain does not run yet. */
export const statusQuery = (chain: string) => ({
  ...allStatusQuery,
  select: ({ chains }: StatusAnswer): ChainStatus | undefined => chains.find((one) => one.chain === chain),
})
