// The contract on Postgres. Works on one connection (a lane, which claims and commits on the same backend) or on a
// pool (services); which of the two it is makes no difference here.

import { isIndexerError } from "../../platform/errors.js"
import type { Random } from "../../platform/random.js"
import { sqlStateOf } from "../../postgres/postgres-error.js"
import type { Backend } from "../../postgres/sql-connection.js"
import type { SqlExecutor } from "../../postgres/sql-executor.js"
import type { Queryable, TransactionOptions } from "../../postgres/transaction.js"
import { defaultFailurePolicy, type FailurePolicy } from "../after-failure.js"
import type {
  ClaimRequest,
  CommitWork,
  GroupClaimRequest,
  Lease,
  LeaseStore,
  LeaseToken,
  OperatorAct,
  ReapOutcome,
  ReleaseRequest,
} from "../lease-store.js"
import { claimGroup } from "./claim-group.js"
import { commitGroup } from "./commit-group.js"
import {
  type CoordinationSchema,
  type CoordinationTables,
  coordinationTables,
} from "./coordination-tables.js"
import { retryLease, skipBlock } from "./operator-acts.js"
import { endExpiredBackends, readCutoff, reapLeases } from "./reap-leases.js"
import { releaseRange } from "./release-range.js"
import { renewLeases } from "./renew-leases.js"

const exclusionViolation = "23P01"

/**
 * Claim and release are short and hold what others need, with no lease on record by which the reaper could find a stopped
 * client. So the server ends one that falls silent, and whoever queues behind it gives up sooner than that: a stopped
 * process with several claims in the queue would otherwise hold everybody up once for each.
 */
const unleased: TransactionOptions = { lockTimeoutMs: 1_500, idleInTransactionTimeoutMs: 3_000 }

/** A person's act waits for the commits under way. */
const operator: TransactionOptions = { statementTimeoutMs: 30_000, idleInTransactionTimeoutMs: 10_000 }

export class PostgresLeaseStore<Tx extends Queryable> implements LeaseStore<Tx> {
  private readonly executor: SqlExecutor<Tx>
  private readonly unleased: TransactionOptions
  private readonly deps: {
    tables: CoordinationTables
    random: Random
    policy: FailurePolicy
    backend: Backend | undefined
  }

  constructor(deps: {
    executor: SqlExecutor<Tx>
    schema: CoordinationSchema
    random: Random
    policy?: FailurePolicy
    /** Of the connection that is the executor. Left out for a pool, and behind a pooler, where a backend is not the holder's own. */
    backend?: Backend | undefined
    /** How long a transaction without a lease may idle, for tests. */
    idleInTransactionTimeoutMs?: number
  }) {
    this.executor = deps.executor
    this.unleased = {
      ...unleased,
      ...(deps.idleInTransactionTimeoutMs === undefined
        ? {}
        : { idleInTransactionTimeoutMs: deps.idleInTransactionTimeoutMs }),
    }
    this.deps = {
      tables: coordinationTables(deps.schema),
      random: deps.random,
      policy: deps.policy ?? defaultFailurePolicy,
      backend: deps.backend,
    }
  }

  async claim({ workerType, dependencies, ...request }: ClaimRequest): Promise<Lease | undefined> {
    const [lease] = await this.claimGroup({ ...request, members: [{ workerType, dependencies }] })
    return lease
  }

  async claimGroup(request: GroupClaimRequest): Promise<readonly Lease[]> {
    if (request.members.length === 0) return []
    try {
      // A claim that is lost with the server was never made: its token is on no row, so whoever comes with it is refused.
      return await this.executor.transaction((tx) => claimGroup(this.deps, tx, request), {
        ...this.unleased,
        unflushed: true,
      })
    } catch (error) {
      // The net under the advisory lock: somebody holds part of it after all, so nothing is free right now.
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

  release(lease: Lease, request: ReleaseRequest): Promise<boolean> {
    return this.executor.transaction((tx) => releaseRange(this.deps, tx, { lease, request }), this.unleased)
  }

  async reap(): Promise<ReapOutcome> {
    const { cutoff, due } = await readCutoff(this.deps.tables, this.executor)
    if (!due) return { backendsEnded: 0, expired: 0, dead: 0, pruned: 0 }
    const backendsEnded = await endExpiredBackends(this.deps.tables, this.executor, { cutoff })
    const outcome = await this.executor.transaction(
      (tx) => reapLeases(this.deps, tx, { cutoff }),
      this.unleased,
    )
    return { backendsEnded, ...(outcome ?? { expired: 0, dead: 0, pruned: 0 }) }
  }

  retry(act: OperatorAct): Promise<boolean> {
    return this.executor.transaction((tx) => retryLease(this.deps, tx, act), operator)
  }

  skip(act: OperatorAct): Promise<boolean> {
    return this.executor.transaction((tx) => skipBlock(this.deps.tables, tx, act), operator)
  }
}
