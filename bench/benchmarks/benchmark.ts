// What a benchmark is given, and what it gives back.

import type { BenchPostgres } from "../environment/bench-postgres.js"
import type { Table } from "../report/render-table.js"

export interface BenchmarkInput {
  readonly postgres: BenchPostgres
  /** Of the standard chain, from height 0. */
  readonly blocks: number
  readonly rounds: number
  /** Of the longest stretch that something is asked at a constant rate. */
  readonly seconds: number
  /** Where what takes long to make is kept from run to run. */
  readonly keep: string
  readonly say: (text: string) => void
}

export interface BenchmarkReport {
  readonly tables: readonly Table[]
  /** What the figures mean, one sentence or two each. */
  readonly notes: readonly string[]
}

export interface Benchmark {
  readonly title: string
  run(input: BenchmarkInput): Promise<BenchmarkReport>
}
