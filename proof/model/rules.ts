// What each rule of the model means, the statement of src that implements it, and the tests on the real system that fail without
// it. rules.test.ts checks that all of these exist, so that model and code stay in step.

/** `name` is a function, class or constraint of the file. Each line occurs in the file once, however it is wrapped. */
type Place = readonly [file: string, name: string, ...lines: [string, ...string[]]]

export interface Rule {
  readonly means: string
  readonly code: Place
  readonly also?: Place
  /** Several titles where each shows a part of it. */
  readonly tests: readonly [file: string, ...titles: [string, ...string[]]]
}

const reap = "src/coordination/postgres/reap-leases.ts"
const cut = "src/coordination/postgres/cut-leases.ts"
const undoFold = "src/workers/postgres/undo-fold.ts"
const undoHeights = "src/workers/postgres/undo-heights.ts"
const reopen = "src/workers/postgres/reopen-heights.ts"
const reopenTest = "src/workers/postgres/reopen-heights.test.ts"
const rollbackApp = "src/rollback/rollback-app.ts"
const rollbackRaw = "src/rollback/rollback-raw.ts"
const choose = "src/coordination/choose-range.ts"
const endHolders = "src/coordination/postgres/end-holders.ts"
const locks = "src/coordination/postgres/locks.ts"
const store = "test/conformance/lease-store.ts"
const leaseTest = "src/coordination/postgres/postgres-lease-store.test.ts"
const commit = "src/coordination/postgres/commit-group.ts"
const intents = "src/coordination/postgres/postgres-rollback-ledger.ts"
const claim = "src/coordination/postgres/claim-group.ts"
const copier = "src/coordination/postgres/raw-coverage-copy.ts"
const copierTest = "src/coordination/postgres/raw-coverage-copy.test.ts"
const rollback = "src/rollback/finish-rollback.test.ts"
const align = "src/rollback/align-stores.ts"
const alignTest = "src/rollback/align-stores.test.ts"
const foldTest = [
  "src/workers/postgres/fold.property.test.ts",
  "a state table is the fold over exactly its coverage, whatever was applied, undone and applied again",
] as const
const bothEnds = [
  "src/raw/range-ingester.test.ts",
  "a range whose parent is not the stored neighbour is refused, from either side, and nothing is deleted",
  "of two neighbours in flight that do not fit, the second to commit is refused",
] as const

export const rules = {
  exclusion: {
    means: "The database forbids unfinished leases of one worker that overlap.",
    code: [
      "migrations/app/0001_coordination.sql",
      "worker_leases_no_overlap",
      "exclude using gist (worker_type with =, int8range(from_height, to_height) with &&)",
      "with &&) where (status <> 'COMPLETED')",
    ],
    tests: [leaseTest, "the database itself forbids overlap of unfinished work"],
  },
  claimLock: {
    means: "One claim of a worker at a time.",
    code: [claim, "claimGroup", "await lockClaims(tables, tx, names)"],
    tests: [leaseTest, "many claims at once give every height to exactly one holder"],
  },
  claimOneSnapshot: {
    means: "Coverage and leases are read by one statement.",
    code: [
      claim,
      "claimGroup",
      "'[]') as workers, coalesce((select json_agg(json_build_object( 'worker_type', worker_type, 'id', id::text,",
    ],
    tests: [leaseTest, "a neighbour that commits in the middle of a claim does not make its range look free"],
  },
  claimGate: {
    means: "A claim takes only what the dependencies cover.",
    code: [choose, "freeRanges", "for (const gate of view.gates) free = intersect(free, gate)"],
    tests: [
      store,
      "a range is claimable only where every dependency covers every height of it",
      "what failed around a block that its dependency cannot take is done on both sides of it",
    ],
  },
  proof: {
    means: "The snapshot that is read must hold coverage of the whole range.",
    code: [
      "src/workers/postgres/postgres-raw-reader.ts",
      "openSnapshot",
      "const { chainEpoch, heights } = await readRangeState(connection, range)",
      "coverage.heights + coverage.skipped @> int8range($1::int8, $2::int8) as covered",
      "if (!state?.covered) { throw",
    ],
    tests: ["src/workers/postgres/postgres-raw-reader.test.ts", "a range that raw does not cover is not read"],
  },
  noteBeforeFetch: {
    means: "The chain epoch is noted at the claim, before the node is asked.",
    code: [claim, "claimGroup", "(select chain_epoch from", "chainEpoch: Number(view!.chain_epoch),"],
    tests: [store, "a rollback after the claim refuses what it reaches and leaves the rest alone"],
  },
  fence: {
    means: "A commit completes its lease by id, epoch and status ACTIVE, or changes nothing.",
    code: [
      commit,
      "completeLeases",
      "where (id, epoch) in (select * from unnest($1::int8[], $2::uuid[])) and status = 'ACTIVE'",
    ],
    tests: [
      store,
      "a late commit cannot complete, and a late release cannot fail, the successor's lease",
      "committing again after an answer that got lost doubles nothing",
    ],
  },
  fenceRange: {
    means: "The lease that is completed has the range that was done.",
    code: [commit, "completeLeases", "and from_height = $3 and to_height = $4"],
    tests: [leaseTest, "a lease that has another range by now is not completed, though its token is as it was"],
  },
  groupWhole: {
    means: "A group completes all of its leases or none.",
    code: [commit, "completeLeases", "if (completed.length !== leases.length) { throw"],
    tests: [store, "takes one range together, a dependent with its dependency, and commits all of it or nothing"],
  },
  rollbackCheck: {
    means: "No rollback newer than the noted epoch reaches the range.",
    code: [
      commit,
      "refuseIfRolledBack",
      "where epoch > $1::int8 and removed && int8range($2::int8, $3::int8) limit 1",
      "if (rollback) { throw",
    ],
    tests: [store, "a rollback after the claim refuses what it reaches and leaves the rest alone"],
  },
  testsAfterLock: {
    means: "The tests are statements after the one that took the chain lock.",
    code: [
      commit,
      "commitGroup",
      'await lockChain(tx, "shared") const notedEpoch = Math.min(',
      "=> chainEpoch)) await refuseIfRolledBack(tables, tx, {",
    ],
    tests: [leaseTest, "a rollback that commits while a writer waits for the chain lock is seen by that writer"],
  },
  gateAtCommit: {
    means: "The dependencies still cover the range at the commit.",
    code: [
      commit,
      "refuseIfUncovered",
      "await refuseIfUncovered(tables, tx, {",
      "where worker_type = any ($1) and heights + skipped @> int8range($2::int8, $3::int8)",
      "if (covered.length < dependencies.length) { throw",
    ],
    tests: [store, "a dependency that was lowered after the claim refuses the commit"],
  },
  intentRefuses: {
    means: "Raw refuses commits that an open intent reaches.",
    code: [
      commit,
      "refuseIfRolledBack",
      "where intent_removed && int8range($1::int8, $2::int8) or",
      "if (state?.reached) { throw",
    ],
    tests: [leaseTest, "an open rollback intent refuses commits it reaches and no others"],
  },
  seam: {
    means: "Both ends of a range are compared with the stored neighbours, once the coverage row is locked.",
    code: [
      "src/raw/check-seams.ts",
      "checkSeams",
      "if (seam!.below_covered) { compare({",
      "if (seam!.above_covered) {",
      "compare({ height: range.to, parentHash, stored: edges.last.hash })",
    ],
    also: [commit, "commitGroup", "order by worker_type for update", "await work.check?.(tx) await tx.query("],
    tests: bothEnds,
  },
  sharedLock: {
    means: "A commit holds the chain lock, shared, from before its tests to its end.",
    code: [commit, "commitGroup", 'await lockChain(tx, "shared")'],
    tests: [
      leaseTest,
      "a rollback that commits while a writer waits for the chain lock is seen by that writer",
      "rows that others change too are changed under the chain lock, new ones before it",
    ],
  },
  foldLockFirst: {
    means: "Rows that others change too are changed under the chain lock only.",
    code: [
      commit,
      "commitGroup",
      "(name) => !workers.includes(name), ), }) await work.apply?.(tx) await completeLeases(",
    ],
    tests: [leaseTest, "rows that others change too are changed under the chain lock, new ones before it"],
  },
  copyEpoch: {
    means: "The copy of raw's coverage is written only at the epoch it was read at.",
    code: [copier, "rawCoverageCopy", "if (state?.chain_epoch !== seen.chain_epoch) return undefined"],
    tests: [copierTest, "is not written when a rollback came between its two databases"],
  },
  copyLocked: {
    means: "That is tested under the shared chain lock.",
    code: [copier, "rawCoverageCopy", 'await lockChain(tx, "shared") const { rows: [state], } ='],
    tests: [copierTest, "waits for a rollback under way, and then sees its epoch"],
  },
  copyUnion: {
    means: "The copy only grows.",
    code: [copier, "rawCoverageCopy", "set heights = heights + $2::int8multirange,"],
    tests: [copierTest, "only grows: an older reading takes nothing away"],
  },
  exclusiveLock: {
    means: "A rollback's steps wait for all commits under way, and keep others out.",
    code: [rollbackApp, "rollbackApp", 'ledger.lockChain(tx, "exclusive")'],
    also: [rollbackRaw, "rollbackRaw", 'ledger.lockChain(tx, "exclusive")'],
    tests: [rollback, "waits for the commit under way, and keeps the next one out until it is done"],
  },
  appFirst: {
    means: "App goes back before raw.",
    code: [
      "src/rollback/finish-rollback.ts",
      "carryOut",
      "const removed = await rollbackApp(deps, intent, { unflushed }) const blocks = await rollbackRaw(deps, intent, removed)",
    ],
    tests: [
      rollback,
      "is all or nothing in each database wherever its process dies, and any other process finishes it",
    ],
  },
  stepsOnce: {
    means: "Each step checks, under the lock, whether its id is done.",
    code: [rollbackRaw, "rollbackRaw", "if (open?.id !== id) return undefined"],
    also: [rollbackApp, "rollbackApp", "if (done) return"],
    tests: [rollback, "that two processes finish at once happens once"],
  },
  detect: {
    means: "A rollback begins at the lowest stored block that differs, not at the first found from the tip.",
    code: [
      "src/rollback/find-divergence.ts",
      "findDivergence",
      "const from = Math.max(finalized ?? 0, heightFrom(state.start_height))",
      "for (let at = 0; at < stretches.length; at += stretchesAtOnce)",
    ],
    tests: [
      "src/rollback/find-divergence.test.ts",
      "stored blocks above a gap in which a shorter chain ends are found by their parent",
      "the lowest stored block that differs is found, though a gap and equal blocks lie above it",
    ],
  },
  intentCas: {
    means: "An intent is recorded only at the epoch of the comparison, and while none is open.",
    code: [intents, "postgresIntentLedger", "where intent_id is null and chain_epoch = $4"],
    tests: [rollback, "a rollback that was compared at an older epoch, or while another is open, is not begun"],
  },
  cutLeases: {
    means: "Leases on removed heights are deleted, or cut there.",
    code: [cut, "cutLeases", "...others] = subtract([range], removed)", "where id = $1`, [row.id])"],
    tests: [rollback, "below a rollback commit as usual; one that straddles is cut and due; those above are gone"],
  },
  cutFences: {
    means: "A lease that is cut has a new token.",
    code: [cut, "cutLeases", "set status = 'FAILED', epoch = $2,", "[row.id, random.uuid(), first.from,"],
    tests: [rollback, "below a rollback commit as usual; one that straddles is cut and due; those above are gone"],
  },
  cutEnds: {
    means: "Cutting a lease ends its holder's connection, which no lease names afterwards.",
    code: [endHolders, "endHolders", "endBackend}(activity.pid)"],
    also: [cut, "cutLeases", "await endHolders(tables, tx, rows)"],
    tests: [rollback, "a holder that is stopped in its open transaction is ended, and its keys are free"],
  },
  splitFences: {
    means: "A lease that is split has a new token.",
    code: [
      "src/coordination/postgres/fail-lease.ts",
      "failLease",
      "set status = $2, epoch = $3, from_height = $4, to_height = $5,",
      "status, random.uuid(), first.from, first.to,",
    ],
    tests: [store, "a failure that names its height is split around that block at once"],
  },
  releaseFenced: {
    means: "A range is released under its token only.",
    code: [
      "src/coordination/postgres/release-range.ts",
      "releaseRange",
      "where id = $1 and epoch = $2 and status = 'ACTIVE'",
      "if (held.length === 0) return undefined",
    ],
    tests: [store, "a late commit cannot complete, and a late release cannot fail, the successor's lease"],
  },
  undo: {
    means: "A fold is undone over what it covers of the removed heights, no more.",
    code: [undoFold, "undoFold", "intersect(coverage, removed).map((range) => {"],
    tests: foldTest,
  },
  undoFirst: {
    means: "Folds are undone before the rows they came from are deleted.",
    code: [undoHeights, "undoHeights", "sent.push(undoFold(tx, plan, { removed: piece, coverage })) }"],
    tests: [
      "src/rollback/rollback.property.test.ts",
      "leave what is derived as if the lost blocks had never been seen",
    ],
  },
  probe: {
    means: "A new last is searched among the rows that stay covered.",
    code: [
      undoFold,
      "undoFold",
      "before = subtract(before, [range])",
      "return undoRange(tx, plan, { range, kept: before })",
    ],
    tests: foldTest,
  },
  undoOnRetry: {
    means: "A height that is reopened is reopened for the dependents too.",
    code: [
      reopen,
      "reopenHeights",
      "const workers = [worker, ...registry.dependentsOf(worker).map(({ name }) => name)]",
    ],
    tests: [
      "src/workers/range-deriver.test.ts",
      "heights given back are as if never derived, for all who depend on them, and the same again afterwards",
    ],
  },
  retryFences: {
    means: "The leases of dependents that overlap it are cut.",
    code: [undoHeights, "undoHeights", "const cut = ledger.cutLeases(tx, { workers, removed })"],
    tests: [reopenTest, "whoever has read the old rows cannot commit them after they were given back"],
  },
  retryLocked: {
    means: "Heights are reopened under the exclusive chain lock.",
    code: [reopen, "reopenHeights", 'await ledger.lockChain(tx, "exclusive")'],
    tests: [reopenTest, "heights are given back once the commits under way have ended"],
  },
  claimsWait: {
    means: "Claims of those workers wait while heights are reopened.",
    code: [locks, "lockClaims", "select pg_advisory_xact_lock($1, lock) from ("],
    also: [reopen, "reopenHeights", "await ledger.lockClaims(tx, workers)"],
    tests: [reopenTest, "a claim that comes while heights are given back waits, and finds them gone"],
  },
  replayClaimsWait: {
    means: "Claims wait while a rollback is replayed in an app database that went back.",
    code: [align, "replayInApp", "await ledger.lockClaims(tx, workers)"],
    tests: [alignTest, "a claim that comes while a rollback is replayed waits, and finds its heights gone"],
  },
  repairEpoch: {
    means: "The repair of a raw block is a rollback of its height, with an epoch of its own.",
    code: [intents, "postgresIntentLedger", "intent_epoch = greatest(chain_epoch, $5::int8) + 1,"],
    also: ["src/verify/refetch-blocks.ts", "refetchBlocks", "await openAuditedIntent(deps, request,"],
    tests: ["src/verify/verify-store.test.ts", "loses one block only to the repair of a block"],
  },
  reaperEnds: {
    means: "The reaper ends the connections of expired leases.",
    code: [reap, "endExpiredBackends", "endBackend}(activity.pid) as ended"],
    tests: [
      leaseTest,
      "a holder stopped in its open transaction is ended when its lease expires, and its keys are free",
    ],
  },
  plainLook: {
    means: "It finds them by a plain read, which locked rows do not escape.",
    code: [
      reap,
      "endExpiredBackends",
      "and other.backend_pid = lease.backend_pid and other.backend_start = lease.backend_start)`, [cutoff],",
    ],
    tests: [
      leaseTest,
      "a holder stopped in its open transaction is ended when its lease expires, and its keys are free",
    ],
  },
  oneCutoff: {
    means: "What it fails is what it has ended: one moment for both reads.",
    code: [reap, "readCutoff", "select clock_timestamp()::text as cutoff,"],
    also: [
      reap,
      "reapLeases",
      '{isEnded("$1::timestamptz")} order by worker_type, from_height for update skip locked`, [cutoff],',
    ],
    tests: [
      leaseTest,
      "a lease that ends between the two steps of the reaper is not given away with its backend alive",
    ],
  },
  secondLookEnds: {
    means: "What expired unseen by the first read is ended where it is failed.",
    code: [reap, "reapLeases", "await endHolders(tables, tx, expired)"],
    tests: [
      leaseTest,
      "a claim that commits between the two steps of the reaper, its time over, is not given away with its backend alive",
    ],
  },
  idleTimeout: {
    means: "The server ends a rollback whose process fell silent.",
    code: [rollbackApp, "rollbackLimits", "idleInTransactionTimeoutMs: 10_000,"],
    tests: [rollback, "is ended by the server when its process hangs"],
  },
  freshTokens: {
    means: "A token is never issued twice, not even after a restore.",
    code: [claim, "claimGroup", "chooseGroup(views, request).map((each) => ({ ...each, epoch: random.uuid() }))"],
    tests: [leaseTest, "a store restored from a backup goes on, and a holder from after the backup changes nothing"],
  },
  replay: {
    means: "An app database that went back replays the rollbacks it lacks.",
    code: [align, "replayInApp", "for (const removed of [...rangesOf(missing).map((range) => [range]), uncovered]) {"],
    tests: [
      alignTest,
      "an app store that missed a rollback replays it, and loses what raw does not cover",
      "a rollback is replayed once the commits under way have ended",
    ],
  },
  comparesCoverage: {
    means: "A raw database that covers less than app's copy went back.",
    code: [align, "alignStores", "(forgotten.length > 0 && unknownToApp.length === 0)"],
    tests: [alignTest, "blocks that raw lost are rolled back in app, under a new id and a new epoch"],
  },
  comparesHistory: {
    means: "So did one that lacks a rollback which app knows.",
    code: [align, "alignStores", "if (unknownToRaw.length > 0 ||"],
    tests: [alignTest, "a raw store that lost a rollback rolls back what followed it"],
  },
  comparesFirst: {
    means: "Raw stores nothing on a server on which the two were not compared.",
    code: [commit, "refuseIfRolledBack", "or compared_server <> pg_postmaster_start_time()", "if (state) { throw"],
    tests: [alignTest, "on another server raw stores nothing before it was compared with app"],
  },
  epochAboveBoth: {
    means: "The rollback that follows has an epoch above both.",
    code: [align, "rollbackForgotten", "epoch: raw.epoch, above: app.epoch }"],
    also: [intents, "postgresIntentLedger", "greatest(chain_epoch, $5::int8) + 1"],
    tests: [alignTest, "a raw store that lost a rollback rolls back what followed it"],
  },
  freshIntentIds: {
    means: "Ids of rollbacks are never used twice.",
    code: [align, "rollbackForgotten", "id: random.uuid(), from, ancestorHash: null"],
    tests: [alignTest, "blocks that raw lost are rolled back in app, under a new id and a new epoch"],
  },
} satisfies Readonly<Record<string, Rule>>
