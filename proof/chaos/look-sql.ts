// What a look asks of either database. Each look is one statement, so one moment.

/** Blocks whose rows are looked for at once. */
export const windowBlocks = 50

export const expiredSql = (schema: "raw" | "app"): string => `array(
    select format('${schema} lease %s of %s on [%s, %s)', epoch, worker_type, from_height, to_height)
    from ${schema}.worker_leases where status = 'ACTIVE' and lease_expires_at < clock_timestamp())`

/**
 * The newest rollback, and where those since the one of the last look began. By their times and not their epochs, as app may be told of an
 * older one later. They are written under the chain's exclusive lock, so their times are in the order in which they are seen.
 */
export const rollbacksSql = (schema: "raw" | "app", last: string): string => `
  (select max(created_at)::text from ${schema}.rollbacks) as rolled_at,
  (select min(lower(removed))::float8 from ${schema}.rollbacks
    where created_at > coalesce(${last}::timestamptz, '-infinity')) as fell_to`

export interface Rollbacks {
  readonly rolled_at: string | null
  /** Null where there was none. */
  readonly fell_to: number | null
}

/** Transactions of a stretch of blocks: how many, and which. */
export interface Transactions {
  readonly count: number
  /** A digest of their ids, in order; null where there are none. */
  readonly ids: string | null
}
