// What each provider last reported as the head, and which of them are left: a node that no longer moves while others
// do, lags far behind, or claims blocks that no other node has. Pure, apart from the clock.

import type { Clock } from "../platform/clock.js"
import type { ProviderHead } from "./block-source.js"

export interface ReportedHead {
  readonly height: number
  /** The block's own time, by the chain; null when the node gives none. */
  readonly timeMs: number | null
}

export interface ComparedHead extends ReportedHead {
  /** The provider's hash at the height that all were asked for; null when it has no such block. */
  readonly anchorHash: string | null
}

interface Known extends ReportedHead {
  readonly reportedAt: number
  /** When this height was first seen, by the monotonic clock. */
  readonly movedAt: number
  readonly anchorHash: string | null
  readonly fault: ProviderHead["fault"]
  /** Too far from the others already in the comparison before. */
  readonly suspected: boolean
}

export interface ProviderHeadsOptions {
  /** A head older than this many of the chain's own blocks is frozen, whatever others say. 0: never. */
  readonly frozenAfterBlocks: number
}

/** Others have to be this far ahead before a node that does not move is left: nodes learn of a block at various times. */
const aheadBlocks = 2
/** A node that does not move is left after this many blocks' time, if others do. */
const stillBlocks = 2
const leastStillMs = 2_000
/** A node that moves is left when it is behind by this time, in the chain's blocks. */
const behindMs = 30_000
const leastBehindBlocks = 4
/** Irrespective of the chain's pace: slots are missed, clocks differ. */
const leastFrozenMs = 60_000
/** Until two blocks are known. */
const assumedPaceMs = 12_000
/** What was reported longer ago says nothing. */
const forgottenAfterMs = 45_000

export class ProviderHeads {
  readonly #clock: Clock
  readonly #frozenAfterBlocks: number
  readonly #known = new Map<string, Known>()
  #paceMs: number | null = null

  constructor(deps: { readonly clock: Clock }, options: ProviderHeadsOptions) {
    this.#clock = deps.clock
    this.#frozenAfterBlocks = options.frozenAfterBlocks
  }

  /** The chain's mean time between blocks, by the times in its blocks; null until two are known. */
  get paceMs(): number | null {
    return this.#paceMs
  }

  notePace(older: ReportedHead, newer: ReportedHead): void {
    if (older.timeMs === null || newer.timeMs === null || newer.height <= older.height) return
    const paceMs = (newer.timeMs - older.timeMs) / (newer.height - older.height)
    if (paceMs > 0) this.#paceMs = paceMs
  }

  report(label: string, { height, timeMs }: ReportedHead): void {
    const now = this.#clock.monotonic()
    const before = this.#known.get(label)
    const movedAt = before !== undefined && before.height >= height ? before.movedAt : now
    const kept = { fault: before?.fault ?? null, anchorHash: before?.anchorHash ?? null }
    const suspected = before?.suspected ?? false
    this.#known.set(label, { height, timeMs, reportedAt: now, movedAt, ...kept, suspected })
  }

  /** How long a provider has been at one height. */
  stillMs(label: string): number {
    const known = this.#known.get(label)
    return known === undefined ? 0 : this.#clock.monotonic() - known.movedAt
  }

  /** After each provider that answers was asked the same: decides which are left, and which are back. */
  compare(answers: ReadonlyMap<string, ComparedHead>, followed: string | undefined): void {
    for (const [label, head] of answers) {
      this.report(label, head)
      this.#known.set(label, { ...this.#known.get(label)!, anchorHash: head.anchorHash })
    }
    const asked = [...answers.keys()]
    const agreeing = this.#agreeing(asked, followed)
    // A single provider that is ahead is followed only while no two others move.
    const moving = agreeing.filter((label) => !this.#isStill(label)).map((label) => this.#known.get(label)!.height)
    const heights = moving.length > 0 ? moving : agreeing.map((label) => this.#known.get(label)!.height)
    const [highest = 0, second = highest] = heights.sort((a, b) => b - a)
    const trusted = heights.length > 2 ? second : highest
    for (const label of asked) {
      const known = this.#known.get(label)!
      const distance = this.#farBlocks()
      const isBehind = trusted - known.height > distance
      const isAhead = known.height - trusted > distance
      const far = isBehind || isAhead || !agreeing.includes(label)
      let fault = known.fault
      if (this.#isStill(label) && trusted - known.height >= aheadBlocks) fault = "frozen"
      else if (far && known.suspected) fault = isBehind ? "behind" : isAhead ? "ahead" : "fork"
      else if (!far && trusted - known.height < aheadBlocks) fault = null
      this.#known.set(label, { ...known, fault, suspected: far })
    }
  }

  /** Not followed while another provider answers. */
  left(): ReadonlySet<string> {
    return this.#labels(({ fault }) => fault !== null)
  }

  /** Their answers about blocks near the head are out of date. */
  frozen(): ReadonlySet<string> {
    return this.#labels(({ fault }) => fault === "frozen")
  }

  of(label: string): ProviderHead | null {
    const known = this.#known.get(label)
    const now = this.#clock.monotonic()
    if (known === undefined || now - known.reportedAt > forgottenAfterMs) return null
    const ageMs = known.timeMs === null ? null : Math.max(0, Math.round(this.#clock.now() - known.timeMs))
    const stillMs = Math.round(now - known.movedAt)
    const fault = known.fault ?? (this.#isOld(label, ageMs) ? "frozen" : null)
    return { height: known.height, ageMs, stillMs, fault, left: known.fault !== null }
  }

  #labels(fits: (known: Known) => boolean): ReadonlySet<string> {
    return new Set([...this.#known].filter(([, known]) => fits(known)).map(([label]) => label))
  }

  #isStill(label: string): boolean {
    return this.stillMs(label) > Math.max(leastStillMs, stillBlocks * (this.#paceMs ?? assumedPaceMs))
  }

  /** By the time in the block: so a node that was frozen before this process started is found as well. */
  #isOld(label: string, ageMs: number | null): boolean {
    if (this.#frozenAfterBlocks === 0 || this.#paceMs === null || ageMs === null) return false
    return ageMs > Math.max(leastFrozenMs, this.#frozenAfterBlocks * this.#paceMs) && this.#isStill(label)
  }

  #farBlocks(): number {
    return Math.max(leastBehindBlocks, Math.ceil(behindMs / (this.#paceMs ?? assumedPaceMs)))
  }

  /** The providers on one chain: that of most of them, or of the followed one where as many are on another. */
  #agreeing(asked: readonly string[], followed: string | undefined): string[] {
    const groups = new Map<string, string[]>()
    for (const label of asked) {
      const hash = this.#known.get(label)!.anchorHash
      if (hash !== null) groups.set(hash, [...(groups.get(hash) ?? []), label])
    }
    const weight = (group: readonly string[]) => group.length + (followed && group.includes(followed) ? 0.5 : 0)
    const [most] = [...groups.values()].sort((a, b) => weight(b) - weight(a))
    // Without the block that all were asked for, a provider is behind it, not on another chain.
    const behind = asked.filter((label) => this.#known.get(label)!.anchorHash === null)
    return [...(most ?? []), ...behind]
  }
}
