// Verifies the store every night in one elected process: the newest heights, and a different part of the rest each
// night. Repairs lookups itself, since that needs only their rows; reports everything else for a person to decide.

import type { Elections } from "../coordination/elections.js"
import type { Ledgers } from "../coordination/ledgers.js"
import { rawIngester } from "../coordination/raw-ingester.js"
import type { BlockRange } from "../domain/block-range.js"
import { LoopingService } from "../platform/looping-service.js"
import type { ServiceDeps } from "../platform/service.js"
import type { Connection } from "../postgres/connection.js"
import type { Database } from "../postgres/database.js"
import { WorkerRegistry } from "../workers/worker-registry.js"
import { heightsOf } from "./check-coverage.js"
import { checkStrayLookups } from "./check-stray-lookups.js"
import type { CheckName, Finding } from "./finding.js"
import { repairLookups } from "./repair-lookups.js"
import { planRepair } from "./repair-plan.js"
import { selfChecks, type VerifyDeps, verifyStore } from "./verify-store.js"

export interface ReconcilerOptions extends ServiceDeps {
  readonly raw: Database
  readonly app: Database
  readonly ledgers: Ledgers
  readonly elections: Elections
  /** Opened for each run: it reads for minutes, too long for a connection of the pools. */
  readonly connect: () => Promise<{ raw: Connection; app: Connection }>
  readonly family: VerifyDeps["family"]
  readonly exceptions: VerifyDeps["exceptions"]
  readonly holder: string
  readonly intervalMs: number
  /** How many findings are left, for every check, including 0. */
  readonly onChecked: (left: ReadonlyMap<CheckName, number>) => void
}

const dayMs = 86_400_000
/** 03:00 UTC. */
const nightMs = 3 * 3_600_000
const recentHeights = 10_000
/** The whole chain takes a month, or longer if that would exceed the heights of a night. */
const nights = 30
const heightsPerNight = 100_000
const lookupParts = 256
const lookupsPerPiece = 10_000
const maxFindings = 1_000
const maxLogged = 20

// Deriving again and folding everything would load the database for hours.
const checks = selfChecks.filter((check) => check !== "derived-rows" && check !== "folds")
const rowChecks = checks.filter((check) => check !== "stray-lookups")

export class Reconciler extends LoopingService {
  constructor(private readonly options: ReconcilerOptions) {
    super({ name: "reconciler", ...options })
  }

  async runOnce(signal: AbortSignal): Promise<undefined> {
    const night = Math.floor((this.clock.now() - nightMs) / dayMs)
    const run = await this.takeNight(night)
    if (run === undefined) return undefined
    const { raw, app } = await this.options.connect()
    try {
      const findings: Finding[] = []
      let cut = false
      for await (const finding of this.verify({ raw, app }, { night, signal })) {
        cut = findings.length === maxFindings
        if (cut) break
        findings.push(finding)
      }
      await this.conclude({ run, night, findings, cut })
    } finally {
      await raw.end()
      await app.end()
    }
  }

  /** The first process to record the night runs it. A run that fails is not repeated before the next night. */
  private takeNight(night: number): Promise<string | undefined> {
    const { app, ledgers, elections, holder } = this.options
    return app.transaction(async (tx) => {
      if (!(await elections.win(tx, "reconciler"))) return undefined
      // A store created after the start of the night waits for the next one.
      const { rows: due } = await tx.query(
        `select 1 from app.chain_state
         where created_at < to_timestamp($1) and not exists (
           select 1 from app.audit_log where action = 'reconcile' and (details ->> 'night')::int8 >= $2::int8)`,
        [(night * dayMs + nightMs) / 1_000, night],
      )
      if (due.length === 0) return undefined
      return ledgers.app.writeAudit(tx, { actor: holder, action: "reconcile", details: { night } })
    })
  }

  private async *verify(
    { raw, app }: { raw: Connection; app: Connection },
    { night, signal }: { night: number; signal: AbortSignal },
  ): AsyncGenerator<Finding> {
    const { family, ledgers, exceptions } = this.options
    const deps = { raw, app, ledgers, registry: new WorkerRegistry([]), family, exceptions, clock: this.clock }
    const covered = heightsOf(await ledgers.raw.readCoverage(raw), rawIngester)
    const [first, last] = [covered[0], covered.at(-1)]
    const ranges = first && last ? rangesOf(night, { from: first.from, to: last.to }) : []
    for (const range of ranges) {
      yield* verifyStore(deps, { range, checks: rowChecks, signal })
    }
    yield* checkStrayLookups(raw, {
      heights: { from: 0, to: Number.MAX_SAFE_INTEGER },
      part: night % lookupParts,
      limit: maxFindings,
      perPiece: lookupsPerPiece,
    })
  }

  private async conclude({
    run,
    night,
    findings,
    cut,
  }: {
    run: string
    night: number
    findings: readonly Finding[]
    cut: boolean
  }): Promise<void> {
    const { raw, app, ledgers, holder, onChecked } = this.options
    await repairLookups({ raw, ledger: ledgers.raw }, { ...planRepair(findings), actor: holder })
    const isLookup = ({ check }: Finding): boolean => check === "row-lookups" || check === "stray-lookups"
    const left = findings.filter((finding) => !isLookup(finding))
    const repaired = findings.length - left.length
    for (const { check, table, message } of left.slice(0, maxLogged)) this.logger.error({ check, table }, message)
    const counts = new Map(checks.map((check) => [check, left.filter((one) => one.check === check).length]))
    await ledgers.app.amendAudit(app, run, {
      night,
      mended_lookups: repaired,
      left: left.length,
      cut,
      findings: left.slice(0, maxLogged).map(({ message }) => message),
    })
    onChecked(counts)
    const fields = { repairedLookups: repaired, left: left.length }
    if (left.length > 0) this.logger.error(fields, "the store has damage; run `tidemark verify` to see all of it")
    else this.logger.info(fields, "the store was verified")
  }
}

/** The newest heights, and the night's part of the older ones. */
function rangesOf(night: number, { from, to }: BlockRange): BlockRange[] {
  const recent = { from: Math.max(from, to - recentHeights), to }
  const parts = Math.max(nights, Math.ceil((recent.from - from) / heightsPerNight))
  const size = Math.ceil((recent.from - from) / parts)
  const start = from + (night % parts) * size
  const older = { from: start, to: Math.min(start + size, recent.from) }
  return [recent, older].filter((range) => range.from < range.to)
}
