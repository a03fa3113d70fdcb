// A chain as the API reads it: its two databases through read-only pools, and what rarely changes, kept for a moment.
// Every transaction is a read-only snapshot with limits on its time.

import type { Clock } from "../platform/clock.js"
import type { ChainAbi } from "../platform/load-config.js"
import type { Database } from "../postgres/database.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { SessionLimits } from "../postgres/session-settings.js"
import type { Queryable, TransactionOptions } from "../postgres/transaction.js"
import { StoredRegistry } from "../workers/postgres/stored-registry.js"
import type { Store } from "./answer-scope.js"
import { CursorCodec, readCursorKey } from "./cursor.js"
import { KnownAbis } from "./known-abis.js"
import { KnownScopes } from "./known-scopes.js"
import { NeedsWatch } from "./needs-watch.js"
import { PreparedStatements } from "./prepared-statements.js"
import { TableCatalog } from "./table-catalog.js"
import { TableSizes } from "./table-sizes.js"
import { readWorkerTables } from "./worker-tables.js"

export interface ChainHead {
  /** The node's, as last stored. */
  readonly head: number | null
  readonly finalized: number | null
}

export interface ServedChainOptions {
  readonly name: string
  readonly raw: Database
  readonly app: Database
  readonly clock: Clock
  /** Of the config. */
  readonly abis?: readonly ChainAbi[] | undefined
}

const headFreshMs = 250
const readLimits: SessionLimits = {
  statementTimeoutMs: 5_000,
  lockTimeoutMs: 1_000,
  idleInTransactionTimeoutMs: 30_000,
}
/** Of pools without a pooler. */
export const readSessions = { readOnly: true, ownSessions: true, sessionLimits: readLimits, fixedPlans: true } as const
const snapshot: TransactionOptions = { isolation: "repeatable read", readOnly: true, ...readLimits }

export class ServedChain {
  readonly name: string
  readonly clock: Clock
  readonly registry = new StoredRegistry()
  readonly needs = new NeedsWatch()
  readonly tables: TableCatalog
  readonly sizes: TableSizes
  readonly abis: KnownAbis
  readonly scopes = new KnownScopes()
  private readonly prepared = new PreparedStatements()
  private codec: CursorCodec | undefined
  private id: string | undefined
  private reading: Promise<ChainHead> | undefined
  private known: { readonly value: ChainHead; readonly at: number } | undefined

  constructor(private readonly options: ServedChainOptions) {
    this.name = options.name
    this.clock = options.clock
    this.sizes = new TableSizes(options.clock, (store, work) => this.read(store, work))
    this.abis = new KnownAbis({
      ...{ clock: options.clock, configured: options.abis ?? [] },
      read: (work) => this.readPrepared("app", work),
    })
    this.tables = new TableCatalog(options.clock, () =>
      this.read("app", async (tx) => readWorkerTables(tx, await this.registry.read(tx))),
    )
  }

  read<T>(store: Store, work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.options[store].transaction(work, snapshot)
  }

  /** The same for statements whose texts are known beforehand: they stay prepared, each with one plan for all values. */
  readPrepared<T>(store: Store, work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.options[store].transaction((tx) => work(this.prepared.keep(tx)), { ...snapshot, fixedPlans: true })
  }

  /**
   * One snapshot of each store; the same one where both are in one database. App's is the older one. Whoever waits for
   * raw's connection holds one of app's, and nobody the other way round.
   */
  readTogether<T>(
    stores: readonly Store[],
    work: (snapshots: Readonly<Record<Store, Queryable>>) => Promise<T>,
  ): Promise<T> {
    if (stores.length < 2 || this.options.raw === this.options.app)
      return this.read(stores[0] ?? "raw", (tx) => work({ raw: tx, app: tx }))
    return this.read("app", async (app) => {
      // A snapshot is taken by the first statement.
      await app.query("select 1")
      return this.read("raw", (raw) => work({ raw, app }))
    })
  }

  async cursors(): Promise<CursorCodec> {
    this.codec ??= new CursorCodec(await this.read("raw", readCursorKey))
    return this.codec
  }

  /** Decimal text, pinned at the first start. */
  async chainId(): Promise<string> {
    this.id ??= (
      await this.read("raw", (tx) => tx.query<{ id: string }>("select chain_id::text as id from raw.chain_state"))
    ).rows[0]?.id
    return this.id ?? "unknown"
  }

  /** Read once for all that ask meanwhile. */
  head(): Promise<ChainHead> {
    const now = this.clock.monotonic()
    if (this.known && now - this.known.at < headFreshMs) return Promise.resolve(this.known.value)
    this.reading ??= this.readHead(now).finally(() => {
      this.reading = undefined
    })
    return this.reading
  }

  private async readHead(now: number): Promise<ChainHead> {
    const { rows } = await this.readPrepared("raw", (tx) =>
      tx.query<{ head_height: string | null; finalized_height: string | null }>(
        "select head_height, finalized_height from raw.chain_state",
        [],
        { isLast: true },
      ),
    )
    const height = (text: string | null | undefined): number | null => (text == null ? null : heightFrom(text))
    const value = { head: height(rows[0]?.head_height), finalized: height(rows[0]?.finalized_height) }
    this.known = { value, at: now }
    return value
  }

  async close(): Promise<void> {
    await this.options.raw.end()
    await this.options.app.end()
  }
}
