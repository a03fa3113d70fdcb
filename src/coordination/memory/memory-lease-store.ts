// The contract in memory, as a model: atomic steps, a virtual clock, row locks where Postgres has them. Held to the same
// conformance suite as Postgres; the simulator drives it. Not a store to run on: it forgets.

import type { BlockRange } from "../../domain/block-range.js"
import { formatRange, rangesOverlap } from "../../domain/block-range.js"
import { containsHeight, intersect, type RangeSet, subtract, union } from "../../domain/range-set.js"
import type { Clock } from "../../platform/clock.js"
import { IndexerError } from "../../platform/errors.js"
import type { Random } from "../../platform/random.js"
import { afterFailure, backoffMs, defaultFailurePolicy, type FailurePolicy } from "../after-failure.js"
import { chooseGroup, type WorkerView } from "../choose-group.js"
import { stuckAfterAttempts, type UnfinishedLease } from "../choose-range.js"
import type {
  ClaimRequest,
  CommitWork,
  CoordinationSnapshot,
  GroupClaimRequest,
  Lease,
  LeaseStatus,
  LeaseStore,
  LeaseToken,
  OperatorAct,
  ReapOutcome,
  ReleaseRequest,
} from "../lease-store.js"

interface Row {
  id: string
  epoch: string
  workerType: string
  range: BlockRange
  status: LeaseStatus
  attempt: number
  ttlMs: number
  leasedBy: string | null
  backendPid: number | null
  leasedAt: number | null
  expiresAt: number | null
  nextAttemptAt: number | null
  completedAt: number | null
  lastError: string | null
  lastErrorCode: string | null
  /** Held by an open commit, as Postgres' row lock would be: reaper and renewal pass it by. */
  locked: boolean
}

/** What a commit stages: applied at once when nothing refused it. */
export interface MemoryTx {
  stage(apply: () => void): void
}

export interface MemoryRollback {
  readonly epoch: number
  readonly removed: BlockRange
}

const dayMs = 86_400_000

export class MemoryLeaseStore implements LeaseStore<MemoryTx> {
  chainEpoch = 0
  readonly rollbacks: MemoryRollback[] = []
  readonly deadBackends = new Set<number>()
  private readonly clock: Clock
  private readonly random: Random
  private readonly policy: FailurePolicy
  private readonly coverage = new Map<string, { heights: RangeSet; skipped: RangeSet }>()
  private rows: Row[] = []
  private nextId = 1
  private coverageLock: Promise<void> = Promise.resolve()

  constructor({ clock, random, policy }: { clock: Clock; random: Random; policy?: FailurePolicy }) {
    this.clock = clock
    this.random = random
    this.policy = policy ?? defaultFailurePolicy
  }

  async register(workerType: string): Promise<void> {
    if (!this.coverage.has(workerType)) this.coverage.set(workerType, { heights: [], skipped: [] })
  }

  async claim({ workerType, dependencies, ...request }: ClaimRequest): Promise<Lease | undefined> {
    const [lease] = await this.claimGroup({ ...request, members: [{ workerType, dependencies }] })
    return lease
  }

  async claimGroup(request: GroupClaimRequest): Promise<readonly Lease[]> {
    const now = this.clock.now()
    for (const { workerType } of request.members) this.coverageOf(workerType)
    const views = new Map<string, WorkerView>(
      [...this.coverage].map(([workerType, own]) => [
        workerType,
        { ...own, unfinished: this.unfinished(workerType).map((row) => unfinishedLease(row, now)) },
      ]),
    )
    return chooseGroup(views, request).map(({ member, choice }) => {
      const { workerType, dependencies } = member
      let row: Row
      if (choice.kind === "failed") {
        row = this.rows.find(({ id }) => id === choice.id)!
        row.range = choice.range
        for (const range of choice.rest) this.insert(row, range, row.attempt, row.nextAttemptAt)
      } else {
        row = this.insert(
          { ...request, workerType, lastError: null, lastErrorCode: null },
          choice.range,
          0,
          null,
        )
      }
      Object.assign(row, {
        status: "ACTIVE",
        attempt: row.attempt + 1,
        epoch: this.random.uuid(),
        ttlMs: request.ttlMs,
        leasedBy: request.holder,
        backendPid: request.backend?.pid ?? null,
        leasedAt: now,
        expiresAt: now + request.ttlMs,
        nextAttemptAt: null,
      })
      const { id, epoch, range, attempt, ttlMs } = row
      return { id, epoch, workerType, range, attempt, ttlMs, chainEpoch: this.chainEpoch, dependencies }
    })
  }

  async renew(tokens: readonly LeaseToken[]): Promise<readonly LeaseToken[]> {
    return tokens.filter((token) => {
      const row = this.held(token)
      if (!row || row.locked) return false
      row.expiresAt = this.clock.now() + row.ttlMs
      return true
    })
  }

  commit(lease: Lease, work: CommitWork<MemoryTx>): Promise<void> {
    return this.commitGroup([lease], work)
  }

  async commitGroup(leases: readonly Lease[], work: CommitWork<MemoryTx>): Promise<void> {
    const staged: (() => void)[] = []
    const tx: MemoryTx = { stage: (apply) => staged.push(apply) }
    await work.write(tx)
    for (const lease of leases) this.refuseIfOutdated(lease, leases)
    await work.apply?.(tx)
    const rows = leases.map((lease) => {
      const row = this.held(lease)
      if (!row || row.locked)
        throw new IndexerError("LEASE_LOST", `the lease on ${formatRange(lease.range)} is gone`)
      return row
    })
    for (const row of rows) row.locked = true
    const before = this.coverageLock
    let unlock = (): void => undefined
    this.coverageLock = new Promise((resolve) => {
      unlock = resolve
    })
    try {
      await before
      for (const { workerType, range } of leases) {
        const { heights, skipped } = this.coverageOf(workerType)
        if (intersect([range], union(heights, skipped)).length > 0)
          throw new Error(`${workerType} ${formatRange(range)} meets its own coverage`)
      }
      await work.check?.(tx)
      for (const apply of staged) apply()
      for (const { workerType, range } of leases) {
        const own = this.coverageOf(workerType)
        own.heights = union(own.heights, [range])
      }
      for (const row of rows) Object.assign(row, { status: "COMPLETED", completedAt: this.clock.now() })
    } finally {
      for (const row of rows) row.locked = false
      unlock()
    }
  }

  async release(lease: Lease, request: ReleaseRequest): Promise<boolean> {
    const row = this.held(lease)
    if (!row || row.locked) return false
    row.lastError = request.error?.message ?? row.lastError
    row.lastErrorCode = request.error?.code ?? row.lastErrorCode
    if (request.cause === "failure") this.fail(row, request.height)
    else if (request.cause === "withdrawn") this.rows = this.rows.filter((other) => other !== row)
    else this.giveBack(row, request.cause)
    return true
  }

  async reap(): Promise<ReapOutcome> {
    const now = this.clock.now()
    let expired = 0
    let dead = 0
    for (const row of [...this.rows]) {
      if (row.status !== "ACTIVE" || row.locked) continue
      const holderGone = row.backendPid !== null && this.deadBackends.has(row.backendPid)
      if ((row.expiresAt ?? 0) > now && !holderGone) continue
      expired++
      this.fail(row)
      if ((row.status as LeaseStatus) === "DEAD") dead++
    }
    const kept = this.rows.filter((row) => row.status !== "COMPLETED" || now - row.completedAt! < dayMs)
    const pruned = this.rows.length - kept.length
    this.rows = kept
    return { expired, backendsEnded: 0, dead, pruned }
  }

  async snapshot(): Promise<CoordinationSnapshot> {
    const now = this.clock.now()
    const until = (at: number | null): number | null => (at === null ? null : at - now)
    return {
      coverage: [...this.coverage].map(([workerType, own]) => ({ workerType, ...own })),
      leases: this.rows
        .filter((row) => row.status !== "COMPLETED")
        .sort((a, b) => a.range.from - b.range.from)
        .map((row) => ({
          id: row.id,
          epoch: row.epoch,
          workerType: row.workerType,
          range: row.range,
          status: row.status,
          attempt: row.attempt,
          leasedBy: row.leasedBy,
          leasedForMs: row.leasedAt === null ? null : now - row.leasedAt,
          expiresInMs: row.status === "ACTIVE" ? until(row.expiresAt) : null,
          nextAttemptInMs: row.status === "FAILED" ? until(row.nextAttemptAt) : null,
          lastError: row.lastError,
          lastErrorCode: row.lastErrorCode,
        })),
    }
  }

  async retry(act: OperatorAct): Promise<boolean> {
    const row = this.at(act, ["DEAD", "FAILED"])
    if (!row) return false
    Object.assign(row, {
      status: "FAILED",
      attempt: 0,
      epoch: this.random.uuid(),
      nextAttemptAt: this.clock.now(),
    })
    return true
  }

  async skip(act: OperatorAct): Promise<boolean> {
    const row = this.at(act, ["DEAD"])
    if (!row) return false
    this.rows = this.rows.filter((other) => other !== row)
    const own = this.coverageOf(act.workerType)
    own.skipped = union(own.skipped, [row.range])
    return true
  }

  /** What a rollback does to coverage. */
  cutCoverage(workerType: string, cut: (heights: RangeSet) => RangeSet): void {
    const own = this.coverageOf(workerType)
    own.heights = cut(own.heights)
    own.skipped = cut(own.skipped)
  }

  private refuseIfOutdated({ range, chainEpoch, dependencies }: Lease, group: readonly Lease[]): void {
    if (this.rollbacks.some(({ epoch, removed }) => epoch > chainEpoch && rangesOverlap(removed, range))) {
      throw new IndexerError("ROLLED_BACK", `a rollback reached ${formatRange(range)} after it was read`)
    }
    for (const name of dependencies) {
      if (group.some(({ workerType }) => workerType === name)) continue
      const { heights, skipped } = this.coverageOf(name)
      if (subtract([range], union(heights, skipped)).length > 0) {
        throw new IndexerError("NOT_COVERED", `${name} no longer covers ${formatRange(range)}`)
      }
    }
  }

  private at(act: OperatorAct, statuses: readonly LeaseStatus[]): Row | undefined {
    return this.unfinished(act.workerType).find(
      (row) => statuses.includes(row.status) && containsHeight([row.range], act.height),
    )
  }

  private coverageOf(workerType: string): { heights: RangeSet; skipped: RangeSet } {
    const own = this.coverage.get(workerType)
    if (!own) throw new Error(`the worker ${workerType} is not registered`)
    return own
  }

  private unfinished(workerType: string): Row[] {
    return this.rows.filter((row) => row.workerType === workerType && row.status !== "COMPLETED")
  }

  private held(token: LeaseToken): Row | undefined {
    return this.rows.find(
      (row) => row.id === token.id && row.epoch === token.epoch && row.status === "ACTIVE",
    )
  }

  private insert(
    like: { workerType: string; ttlMs: number; lastError: string | null; lastErrorCode: string | null },
    range: BlockRange,
    attempt: number,
    nextAttemptAt: number | null,
  ): Row {
    const clash = this.unfinished(like.workerType).find((row) => rangesOverlap(row.range, range))
    if (clash)
      throw new Error(`unfinished leases overlap: ${formatRange(clash.range)} and ${formatRange(range)}`)
    const row: Row = {
      id: String(this.nextId++),
      epoch: this.random.uuid(),
      workerType: like.workerType,
      range,
      status: "FAILED",
      attempt,
      ttlMs: like.ttlMs,
      leasedBy: null,
      backendPid: null,
      leasedAt: null,
      expiresAt: null,
      nextAttemptAt,
      completedAt: null,
      lastError: like.lastError,
      lastErrorCode: like.lastErrorCode,
      locked: false,
    }
    this.rows.push(row)
    return row
  }

  private fail(row: Row, height?: number): void {
    const verdict = afterFailure(this.policy, { range: row.range, attempt: row.attempt, height })
    const now = this.clock.now()
    const wait = backoffMs(this.policy, row.attempt, this.random.next())
    Object.assign(row, { epoch: this.random.uuid(), status: "FAILED", nextAttemptAt: now + wait })
    if (verdict.kind === "dead") row.status = "DEAD"
    if (verdict.kind !== "split") return
    const [first, ...others] = verdict.parts
    Object.assign(row, { range: first, attempt: 0, nextAttemptAt: now })
    for (const part of others) this.insert(row, part, 0, now)
  }

  private giveBack(row: Row, cause: "outage" | "rollback" | "shutdown"): void {
    const now = this.clock.now()
    const wait = cause === "shutdown" ? 0 : backoffMs(this.policy, row.attempt, this.random.next())
    Object.assign(row, {
      epoch: this.random.uuid(),
      status: "FAILED",
      attempt: Math.max(0, row.attempt - 1),
      nextAttemptAt: now + wait,
    })
  }
}

const unfinishedLease = (
  { id, range, status, nextAttemptAt, attempt }: Row,
  now: number,
): UnfinishedLease => ({
  id,
  range,
  due: status === "FAILED" && (nextAttemptAt ?? 0) <= now,
  stuck:
    status === "DEAD" ||
    (status === "FAILED" && range.to === range.from + 1 && attempt >= stuckAfterAttempts),
  active: status === "ACTIVE",
})
