// How far a chain is, as read from its databases alone: the same answer in every process and in the CLI. Single
// heights are inclusive, ranges are half-open. Ages use the database's clock, so the clocks of hosts may differ.

import type { LeaseRow } from "../coordination/lease-store.js"
import type { RangeSet } from "../domain/range-set.js"
import type { ProviderHealth } from "../source/block-source.js"
import type { ProcessState } from "./process-state.js"

export interface ChainStatus {
  readonly name: string
  /** Null until the chain was pinned, at the first start that reached a node. */
  readonly chainId: string | null
  readonly epoch: number
  readonly start: number
  readonly liveFrom: number | null
  readonly head: number | null
  /** Since a node last reported the head. */
  readonly headAgeMs: number | null
  readonly finalized: number | null
  readonly follower: string | null
  readonly followerAgeMs: number | null
  /** The highest height stored without a hole above finality: what the lag is counted from. */
  readonly storedHead: number | null
  /** Blocks between the head and what is stored; null until a head is known. */
  readonly lag: number | null
  /** Of [start, head], two digits, rounded down: 100 means all of it. */
  readonly percent: number
  /** Until history is filled, at the present rate; null when unknown. 0: it is filled. */
  readonly etaMs: number | null
  /** Of [start, head], what every worker of the app database has derived; null where there is none. */
  readonly derivedPercent: number | null
  /** Up to where every worker is complete. */
  readonly watermark: number | null
  readonly workers: readonly WorkerStatus[]
  readonly deadBlocks: readonly DeadBlock[]
  /** Errors that are not resolved. */
  readonly openErrors: number
  readonly lastError: StatusError | null
  /** What Tidemark cannot check of this chain's blocks, in words; empty on most chains. */
  readonly unchecked: readonly string[]
  readonly store: StoreSize
  /** Until nothing is free, at the store's size per block; null when unknown. */
  readonly daysToFull: number | null
  /** Partitions that still lack an index: deferred, or being built. */
  readonly unindexed: readonly string[]
  readonly processes: readonly ProcessRow[]
  readonly providers: readonly ProviderSummary[]
  /** How long there has been open work, as the processes report it; null when there is none. */
  readonly workForMs: number | null
  /** The one that is open, if any. */
  readonly rollback: RollbackStatus | null
  /** Why ingestion halts over a reorganisation, if it does. */
  readonly halt: string | null
  /** Where the node's chain differs from the stored one. */
  readonly haltHeight: number | null
  readonly haltAgeMs: number | null
  /** By the database's clock. */
  readonly readAtMs: number
}

export interface RollbackStatus {
  /** Removes [from, to); null: everything from there on. */
  readonly from: number
  readonly to: number | null
  readonly reason: string | null
  /** Of the process that carries it out; null while none does. */
  readonly progress: {
    /** App goes back first, then raw. */
    readonly step: "app" | "raw"
    /** Heights of this step. */
    readonly done: number
    readonly total: number
    readonly etaMs: number | null
  } | null
  /** Attempts that failed, and how the last one did. */
  readonly failures: number
  readonly error: { readonly code: string; readonly message: string } | null
}

export interface WorkerStatus {
  readonly worker: string
  /** Workers whose rows it reads, the raw ingester for all of them; nothing for the raw ingester itself. */
  readonly dependencies: readonly string[]
  /** Its row in the app database; null for the raw ingester, and for a worker without tables. */
  readonly registration: WorkerRegistration | null
  readonly openErrors: number
  /** Of [start, head], two digits, rounded down. */
  readonly percent: number
  readonly watermark: number | null
  /** Heights with their data. */
  readonly coverage: RangeSet
  /** Heights a person skipped. */
  readonly skipped: RangeSet
  /** [start, head] − covered − skipped − leased. */
  readonly gaps: RangeSet
  /** [start, head] − covered − skipped: gaps, and what is leased, failed or dead. */
  readonly missing: RangeSet
  /** The missing heights that all its dependencies have done, except DEAD ones: work that can be done now. */
  readonly doable: RangeSet
  readonly leases: LeaseCounts
  readonly unfinished: readonly LeaseRow[]
  /** Since coverage last grew (or was cut). */
  readonly movedAgoMs: number | null
  readonly blocksPerSecond: Rate
  readonly lag: number | null
}

export interface WorkerRegistration {
  readonly version: number
  readonly tables: readonly string[]
  readonly paused: boolean
  readonly pausedReason: string | null
  /** Ranges at once over all processes; null: no limit. */
  readonly concurrency: number | null
}

export interface LeaseCounts {
  readonly active: number
  readonly failed: number
  readonly dead: number
}

/** Over the last 10 and 60 seconds, or as long as a process has been up. */
export interface Rate {
  readonly last10s: number
  readonly last60s: number
}

export interface DeadBlock {
  readonly worker: string
  readonly height: number
  readonly attempts: number
  readonly code: string | null
  readonly error: string | null
}

export interface StatusError {
  readonly code: string
  readonly message: string
  readonly agoMs: number
  /** "raw_ingester [0, 100)", or "process host:pid". */
  readonly where: string
}

export interface StoreSize {
  readonly rawBytes: number | null
  readonly appBytes: number | null
  /** What is left of the embedded server's disk or of DB_CAPACITY_BYTES; null: unknown. */
  readonly freeBytes: number | null
  /** By the times of the newest blocks; null while there are too few. */
  readonly secondsPerBlock: number | null
}

export interface ProcessRow {
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly roles: readonly string[]
  readonly version: string
  readonly httpUrl: string | null
  readonly upMs: number
  readonly seenAgoMs: number
  readonly state: ProcessState
}

/** One provider as all processes see it. Its state is the best of theirs: one process that reaches it is enough. */
export interface ProviderSummary extends ProviderHealth {
  readonly processes: number
  readonly openIn: number
}
