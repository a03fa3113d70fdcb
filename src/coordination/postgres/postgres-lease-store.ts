// The lease store on Postgres. Works on one connection (a lane, which claims and commits on the same backend) or on a
// pool (services).

import { isIndexerError } from "../../platform/errors.js"
import type { Random } from "../../platform/random.js"
import { sqlStateOf } from "../../postgres/postgres-error.js"
import type { Backend } from "../../postgres/sql-connection.js"
import type { Queryable, SqlExecutor, TransactionOptions } from "../../postgres/transaction.js"
import { defaultFailurePolicy, type FailurePolicy } from "../after-failure.js"
import type { OnDead } from "../dead-block.js"
import type { CommitWork, FencedCommits } from "../fenced-commits.js"
import type {
  ClaimRequest,
  GroupClaimRequest,
  Lease,
  LeaseStore,
  LeaseToken,
  OperatedLeases,
  OperatorAct,
  ReapOutcome,
  ReleaseRequest,
} from "../lease-store.js"
import { type ClaimDeps, claimGroup } from "./claim-group.js"
import { commitGroup } from "./commit-group.js"
import { type CoordinationSchema, coordinationTables } from "./coordination-tables.js"
import type { FailDeps } from "./fail-lease.js"
import { retryLease, skipBlock } from "./operator-acts.js"
import { endExpiredBackends, readCutoff, reapLeases } from "./reap-leases.js"
import { releaseRange } from "./release-range.js"
import { renewLeases } from "./renew-leases.js"

const exclusionViolation = "23P01"

/** An operator's act waits for commits in progress. */
const operator: TransactionOptions = { statementTimeoutMs: 30_000, idleInTransactionTimeoutMs: 10_000 }

export class PostgresLeaseStore<Tx extends Queryable> implements LeaseStore, FencedCommits<Tx>, OperatedLeases {
  private readonly executor: SqlExecutor<Tx>
  /**
   * Claim and release hold locks that others need, and have no lease by which the reaper could find a stopped client. So the
   * server ends a silent one, and clients that wait for its lock give up before that: otherwise a stopped process with several
   * queued claims would delay the others once for each.
   */
  private readonly unleased: TransactionOptions
  private readonly deps: ClaimDeps & FailDeps
  private readonly onDead: OnDead | undefined

  constructor({
    executor,
    schema,
    random,
    policy,
    backend,
    onDead,
    idleInTransactionTimeoutMs = 3_000,
  }: {
    executor: SqlExecutor<Tx>
    schema: CoordinationSchema
    random: Random
    policy?: Partial<FailurePolicy>
    /** Of the connection that is the executor. Undefined for a pool and behind a pooler. */
    backend?: Backend | undefined
    /** Called when a block was given up, after that is committed. */
    onDead?: OnDead
    /** How long a transaction without a lease may idle, for tests. */
    idleInTransactionTimeoutMs?: number
  }) {
    this.executor = executor
    this.onDead = onDead
    this.unleased = { lockTimeoutMs: 1_500, idleInTransactionTimeoutMs }
    const tables = coordinationTables(schema)
    this.deps = { tables, random, policy: { ...defaultFailurePolicy, ...policy }, backend }
  }

  async claim({ worker, dependencies, ...request }: ClaimRequest): Promise<Lease | undefined> {
    const [lease] = await this.claimGroup({ ...request, members: [{ worker, dependencies }] })
    return lease
  }

  async claimGroup(request: GroupClaimRequest): Promise<readonly Lease[]> {
    if (request.members.length === 0) return []
    try {
      // A claim that is lost with the server was never made: its token matches no row, so its commit is refused.
      return await this.executor.transaction((tx) => claimGroup(this.deps, tx, request), {
        ...this.unleased,
        unflushed: true,
      })
    } catch (error) {
      // The safety net under the advisory lock: part of the range is held after all, so nothing is free now.
      if (sqlStateOf(error) === exclusionViolation || isIndexerError(error, "LEASE_LOST")) return []
      throw error
    }
  }

  renew(tokens: readonly LeaseToken[]): Promise<readonly LeaseToken[]> {
    return renewLeases(this.deps.tables, this.executor, tokens)
  }

  commit(lease: Lease, work: CommitWork<Tx>): Promise<void> {
    return this.commitGroup([lease], work)
  }

  commitGroup(leases: readonly Lease[], work: CommitWork<Tx>): Promise<void> {
    return this.executor.transaction((tx) => commitGroup(this.deps.tables, tx, { leases, work }))
  }

  async release(lease: Lease, request: ReleaseRequest): Promise<boolean> {
    const ended = await this.executor.transaction(
      (tx) => releaseRange(this.deps, tx, { lease, request }),
      this.unleased,
    )
    const { code, message: error } = request.error ?? {}
    if (ended === "DEAD") this.onDead?.({ worker: lease.worker, height: lease.range.from, code, error })
    return ended !== undefined
  }

  async reap(): Promise<ReapOutcome> {
    const { cutoff, due } = await readCutoff(this.deps.tables, this.executor)
    if (!due) return { holdersEnded: 0, holdersLeft: 0, expired: 0, dead: [], pruned: 0 }
    const holders = await endExpiredBackends(this.deps.tables, this.executor, { cutoff })
    const outcome = await this.executor.transaction((tx) => reapLeases(this.deps, tx, { cutoff }), this.unleased)
    for (const { worker, height } of outcome?.dead ?? []) this.onDead?.({ worker, height, code: "LEASE_LOST" })
    return { ...holders, ...(outcome ?? { expired: 0, dead: [], pruned: 0 }) }
  }

  retry(act: OperatorAct): Promise<boolean> {
    return this.executor.transaction((tx) => retryLease(this.deps, tx, act), operator)
  }

  skip(act: OperatorAct): Promise<boolean> {
    return this.executor.transaction((tx) => skipBlock(this.deps.tables, tx, act), operator)
  }
}
