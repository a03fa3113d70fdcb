// Turns findings into the steps of a repair. Pure.

import type { BlockRange } from "../domain/block-range.js"
import { type RangeSet, rangeSet } from "../domain/range-set.js"
import type { StateRowText } from "../workers/postgres/diff-fold.js"
import type { Finding, Remedy } from "./finding.js"

export interface RepairPlan {
  readonly writeLookups: RangeSet
  readonly deleteLookups: readonly (Remedy & { kind: "delete-lookup" })[]
  /** By table and its worker. */
  readonly deleteRows: readonly {
    readonly table: string
    readonly worker: string
    readonly heights: RangeSet
  }[]
  /** By state table. */
  readonly refold: readonly {
    readonly worker: string
    readonly table: string
    readonly keys: readonly StateRowText[]
  }[]
  readonly refetch: RangeSet
  readonly rederive: readonly { readonly worker: string; readonly heights: RangeSet }[]
  /** Findings that only a person can repair. */
  readonly left: readonly Finding[]
}

export interface PlanRepairOptions {
  /** Fetch a block again if its derived rows differ from it, since the stored block may be the wrong one. */
  readonly refetch?: boolean
}

export function planRepair(findings: readonly Finding[], { refetch = false }: PlanRepairOptions = {}): RepairPlan {
  const remedies = findings.map(({ check, remedy }): Remedy => {
    const isDoubtful = check === "derived-rows" && remedy.kind === "rederive"
    return refetch && isDoubtful ? { kind: "refetch", heights: remedy.heights } : remedy
  })
  const of = <Kind extends Remedy["kind"]>(kind: Kind): (Remedy & { kind: Kind })[] =>
    remedies.filter((remedy): remedy is Remedy & { kind: Kind } => remedy.kind === kind)
  const heights = (some: readonly { readonly heights: BlockRange }[]): RangeSet =>
    rangeSet(some.map((one) => one.heights))
  return {
    writeLookups: heights(of("write-lookups")),
    deleteLookups: of("delete-lookup"),
    deleteRows: [...grouped(of("delete-rows"), ({ table }) => table).values()].map((some) => ({
      table: some[0]!.table,
      worker: some[0]!.worker,
      heights: heights(some),
    })),
    refold: [...grouped(of("refold"), ({ table }) => table).values()].map((some) => ({
      worker: some[0]!.worker,
      table: some[0]!.table,
      keys: some.map(({ key }) => key),
    })),
    refetch: heights(of("refetch")),
    rederive: [...grouped(of("rederive"), ({ worker }) => worker).values()].map((some) => ({
      worker: some[0]!.worker,
      heights: heights(some),
    })),
    left: findings.filter(({ remedy }) => remedy.kind === "none"),
  }
}

function grouped<T>(some: readonly T[], by: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of some) groups.set(by(one), [...(groups.get(by(one)) ?? []), one])
  return groups
}
