// Checks a store against itself, piece by piece. Each piece is read in one snapshot of each database, so that a
// concurrent commit is seen entirely or not at all. Yields findings and changes nothing.

import type { CoverageByWorker } from "../coordination/coverage-ledger.js"
import type { Ledgers } from "../coordination/ledgers.js"
import { rawIngester } from "../coordination/raw-ingester.js"
import type { BlockRange } from "../domain/block-range.js"
import { intersect, type RangeSet, rangeSet, subtract } from "../domain/range-set.js"
import type { ChainFamily, StoreException } from "../families/chain-family.js"
import type { Clock } from "../platform/clock.js"
import { IndexerError } from "../platform/errors.js"
import type { Connection } from "../postgres/connection.js"
import type { FoldPlan } from "../workers/fold-plan.js"
import { StoredRegistry } from "../workers/postgres/stored-registry.js"
import { eventTables } from "../workers/worker-definition.js"
import type { WorkerRegistry } from "../workers/worker-registry.js"
import { checkCounts } from "./check-counts.js"
import { checkCoverage, heightsOf } from "./check-coverage.js"
import { checkDerivedRows } from "./check-derived-rows.js"
import { checkEventPlaces } from "./check-event-places.js"
import { checkFold } from "./check-folds.js"
import { checkNode } from "./check-node.js"
import { checkParentLinks } from "./check-parent-links.js"
import { checkRawRows } from "./check-raw-rows.js"
import { checkRowLookups } from "./check-row-lookups.js"
import { checkStrayLookups } from "./check-stray-lookups.js"
import { checkStrayRows } from "./check-stray-rows.js"
import type { CompareDeps } from "./compare-blocks.js"
import type { CheckName, Finding, SkippedCheck } from "./finding.js"
import type { RawCheck } from "./raw-piece.js"
import { nextStored, readSpan } from "./read-span.js"

export interface VerifyDeps {
  readonly raw: Connection
  /** May be `raw` if both are one database, except for derived-rows, which reads raw while it writes here. */
  readonly app: Connection
  readonly ledgers: Ledgers
  /** As declared in this process. Workers that differ from the database's registration skip derived-rows. */
  readonly registry: WorkerRegistry
  readonly family: Pick<ChainFamily, "rawTables" | "createWriter" | "readBlocks">
  readonly clock: Clock
  /** Rules that this chain's blocks need not keep to: what checks them is skipped. */
  readonly exceptions: readonly StoreException[]
  /** Another node to compare with. */
  readonly source?: CompareDeps["source"] | undefined
}

export interface VerifyProgress {
  readonly phase: "blocks" | "lookups" | "folds"
  readonly done: number
  readonly total: number
}

export interface VerifyOptions {
  /** Default: all stored heights. */
  readonly range?: Partial<BlockRange> | undefined
  readonly checks: readonly CheckName[]
  /** How much one snapshot reads. */
  readonly pieces?: { readonly heights: number; readonly lookups: number; readonly keys: number }
  /** Compare every block with the node, not only those whose hash differs. */
  readonly whole?: boolean | undefined
  readonly signal: AbortSignal
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined
}

export const selfChecks: readonly CheckName[] = [
  "coverage",
  "raw-rows",
  "parent-links",
  "counts",
  "event-places",
  "row-lookups",
  "stray-rows",
  "derived-rows",
  "stray-lookups",
  "folds",
]

/** These have no pieces of heights. */
const wholeChecks: readonly CheckName[] = ["coverage", "stray-lookups", "folds"]

const defaultPieces = { heights: 1_000, lookups: 10_000, keys: 20_000 }
/** Findings of one check in one piece. */
const limit = 1_000
const snapshot = {
  isolation: "repeatable read",
  statementTimeoutMs: 600_000,
  idleInTransactionTimeoutMs: 600_000,
} as const
const rollbackWaitMs = 1_000
const rollbackTries = 10

const rawChecks: readonly (readonly [CheckName, RawCheck])[] = [
  ["raw-rows", checkRawRows],
  ["parent-links", checkParentLinks],
  ["counts", checkCounts],
  ["event-places", checkEventPlaces],
  ["row-lookups", checkRowLookups],
]

export async function* verifyStore(deps: VerifyDeps, options: VerifyOptions): AsyncGenerator<Finding> {
  const { checks, signal, onProgress, pieces = defaultPieces } = options
  const workers = await readWorkers(deps)
  const stored = { ...deps, registry: workers.stored }
  const span = await readSpan(stored)
  const range = { from: options.range?.from ?? span.from, to: options.range?.to ?? span.to }
  if (checks.includes("coverage")) {
    yield* await inSnapshots(deps, (seen) => checkCoverage(seen, { registry: workers.stored, range }))
  }
  const isByHeight = checks.some((check) => !wholeChecks.includes(check))
  for (let from = range.from; isByHeight && from < range.to; from += pieces.heights) {
    signal.throwIfAborted()
    onProgress?.({ phase: "blocks", done: from - range.from, total: range.to - range.from })
    from = (await nextStored(stored, from)) ?? range.to
    if (from >= range.to) break
    const piece = { from, to: Math.min(from + pieces.heights, range.to) }
    yield* await inSnapshots(deps, (seen) => checkPiece(deps, { ...options, seen, workers, piece }))
  }
  if (checks.includes("stray-lookups")) {
    onProgress?.({ phase: "lookups", done: 0, total: 1 })
    const heights = options.range === undefined ? { from: 0, to: Number.MAX_SAFE_INTEGER } : range
    yield* checkStrayLookups(deps.raw, { heights, limit, perPiece: pieces.lookups })
  }
  if (checks.includes("folds")) {
    for (const [done, plan] of workers.folds.entries()) {
      signal.throwIfAborted()
      onProgress?.({ phase: "folds", done, total: workers.folds.length })
      yield* checkFold({ app: deps.app, ledger: deps.ledgers.app }, plan, { limit, ...pieces, signal })
    }
  }
}

/** What of these checks says nothing about the chain, in words. */
export function listSkipped(
  { exceptions }: Pick<VerifyDeps, "exceptions">,
  checks: readonly CheckName[],
): readonly SkippedCheck[] {
  return exceptions.flatMap(({ rule, why }): SkippedCheck[] => {
    const check = rule === "parent-links" ? rule : "event-places"
    const part = rule === "parent-links" ? "all of it" : "the numbers of events"
    return checks.includes(check) ? [{ check, part, why }] : []
  })
}

interface Workers {
  /** As registered in the database. */
  readonly stored: WorkerRegistry
  /** Names of the workers that this process declares the same way. */
  readonly declared: readonly string[]
  readonly folds: readonly FoldPlan[]
}

async function readWorkers({ app, registry }: VerifyDeps): Promise<Workers> {
  const stored = await new StoredRegistry().read(app)
  const { rows } = await app.query<{ name: string; hash: string }>("select name, hash from app.workers")
  const declared = rows
    .filter(({ name, hash }) => registry.worker(name) && registry.hashOf(name) === hash)
    .map(({ name }) => name)
  // Only declarations have indexes; the registration does not store them.
  const folds = [...stored.folds].flatMap(([name, plans]) =>
    declared.includes(name) ? (registry.folds.get(name) ?? []) : plans,
  )
  return { stored, declared, folds }
}

interface Seen {
  readonly raw: CoverageByWorker
  readonly app: CoverageByWorker
}

async function checkPiece(
  { raw, app, registry, family, source, exceptions }: VerifyDeps,
  {
    checks,
    seen,
    workers,
    piece,
    whole = false,
    signal,
  }: VerifyOptions & { seen: Seen; workers: Workers; piece: BlockRange },
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [name, check] of rawChecks) {
    const isSkipped = name === "parent-links" && exceptions.some(({ rule }) => rule === "parent-links")
    if (checks.includes(name) && !isSkipped)
      findings.push(...(await check(raw, { range: piece, limit, family, exceptions })))
  }
  if (source && checks.includes("node")) {
    findings.push(...(await checkNode({ tx: raw, source, family, signal }, { range: piece, limit, whole })))
  }
  if (checks.includes("stray-rows")) {
    findings.push(...(await checkStrayRows(app, { registry: workers.stored, range: piece, limit })))
  }
  if (checks.includes("derived-rows")) {
    const damaged = rangeSet(findings.flatMap(({ remedy }) => (remedy.kind === "refetch" ? [remedy.heights] : [])))
    const undamaged = subtract(intersect(heightsOf(seen.raw, rawIngester), [piece]), damaged)
    const derived = registry.workers.filter(
      (worker) => workers.declared.includes(worker.name) && worker.extract && eventTables(worker).length > 0,
    )
    const heights = new Map(
      derived.map(({ name }): [string, RangeSet] => [name, intersect(heightsOf(seen.app, name), undamaged)]),
    )
    const { readBlocks } = family
    findings.push(
      ...(await checkDerivedRows({ raw, app }, { registry, readBlocks, workers: derived, heights, limit })),
    )
  }
  return findings
}

/**
 * Takes the snapshot of app before that of raw: raw only grows meanwhile, so app cannot seem ahead of it. The epochs
 * differ while a rollback has reached only one of the databases; then it waits and tries again.
 */
async function inSnapshots<T>(deps: VerifyDeps, work: (seen: Seen) => Promise<T> | T): Promise<T> {
  for (let tries = 1; ; tries++) {
    const read = async (): Promise<{ value: T } | undefined> => {
      if ((await epochOf(deps.app, "app")) !== (await epochOf(deps.raw, "raw"))) return undefined
      const raw = await deps.ledgers.raw.readCoverage(deps.raw)
      return { value: await work({ raw, app: await deps.ledgers.app.readCoverage(deps.app) }) }
    }
    const result = await inTransaction(deps.raw, () =>
      deps.raw === deps.app ? read() : inTransaction(deps.app, read),
    )
    if (result) return result.value
    if (tries === rollbackTries) {
      throw new IndexerError("ROLLBACK_OPEN", "a rollback is in progress between the two databases; try again later")
    }
    await deps.clock.sleep(rollbackWaitMs)
  }
}

/** Always rolled back: it only reads, and writes temporary tables. */
async function inTransaction<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  await connection.begin(snapshot)
  try {
    return await work()
  } finally {
    if (!connection.closed) await connection.rollback()
  }
}

async function epochOf(connection: Connection, schema: "raw" | "app"): Promise<string | undefined> {
  const { rows } = await connection.query<{ chain_epoch: string }>(`select chain_epoch from ${schema}.chain_state`)
  return rows[0]?.chain_epoch
}
