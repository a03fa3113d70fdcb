// The settings of every process and every chain; a chain family adds its own. docs/reference/config.md is checked
// against these tables.

import { choice, flag, integer, type SettingValues, text } from "./setting.js"

const postgresUrl = /^postgres(ql)?:\/\/\S+$/

/** Of the process, whatever chains it runs. */
export const processSettings = {
  port: integer({
    env: "PORT",
    min: 0,
    max: 65535,
    fallback: 8080,
    help: "Port of the HTTP server; 0 takes a free one.",
  }),
  host: text({
    env: "HOST",
    allowed: "an address to listen on",
    pattern: /^\S+$/,
    fallback: "127.0.0.1",
    help: "Address of the HTTP server.",
  }),
  dataDir: text({
    env: "TIDEMARK_DIR",
    allowed: "a directory",
    pattern: /^.+$/s,
    fallback: ".tidemark",
    help: "Where the embedded database and the demo chain live.",
  }),
  threads: integer({
    env: "THREADS",
    min: 1,
    max: 3,
    fallback: 1,
    help: "Worker threads that fetch and store history; start more processes for more.",
  }),
  workThreads: integer({
    env: "WORK_THREADS",
    min: 1,
    max: 3,
    fallback: 1,
    help: "Worker threads that derive tables; start more processes for more.",
  }),
  workerDeadlineMs: integer({
    env: "WORKER_DEADLINE_MS",
    min: 100,
    max: 600_000,
    fallback: 5_000,
    help: "How long a worker may take for one block; one that takes longer is ended, and the block counts as failed.",
  }),
  workerMemoryMb: integer({
    env: "WORKER_MEMORY_MB",
    min: 64,
    fallback: 512,
    help: "Memory of a thread that derives; a worker that takes more is ended, and the block counts as failed.",
  }),
  logLevel: choice({
    env: "LOG_LEVEL",
    of: ["debug", "info", "warn", "error", "fatal"],
    fallback: "info",
    help: "The least severe log lines shown.",
  }),
  logFormat: choice({
    env: "LOG_FORMAT",
    of: ["auto", "json", "pretty"],
    fallback: "auto",
    help: "`auto` is pretty on a terminal and JSON elsewhere.",
  }),
  rangeSize: integer({
    env: "RANGE_SIZE",
    min: 1,
    max: 1_000_000,
    fallback: 1_000,
    help: "Leases never cross a multiple of this many blocks.",
  }),
  dbTimeoutMs: integer({
    env: "DB_TIMEOUT_MS",
    min: 1_000,
    max: 600_000,
    fallback: 30_000,
    help: "How long a database may be silent while a statement waits for its answer.",
  }),
  leaseTtlMs: integer({
    env: "LEASE_TTL_MS",
    min: 500,
    max: 3_600_000,
    fallback: 30_000,
    help: "How long a lease lasts without renewal.",
  }),
  headLeaseTtlMs: integer({
    env: "HEAD_LEASE_TTL_MS",
    min: 500,
    max: 3_600_000,
    fallback: 10_000,
    help: "The same for leases at the head.",
  }),
  reapIntervalMs: integer({
    env: "REAP_INTERVAL_MS",
    min: 100,
    max: 3_600_000,
    fallback: 5_000,
    help: "How often expired leases are looked for.",
  }),
  maxAttempts: integer({
    env: "MAX_ATTEMPTS",
    min: 1,
    max: 1_000,
    fallback: 20,
    help: "Attempts at a single block before it is DEAD.",
  }),
  drainMs: integer({
    env: "DRAIN_MS",
    min: 0,
    max: 600_000,
    fallback: 3_000,
    help: "How long ranges under way may still finish at shutdown.",
  }),
  readyLagBlocks: integer({
    env: "READY_LAG_BLOCKS",
    min: 0,
    fallback: 10,
    help: "`/ready` allows the stored head to be this far behind the node's.",
  }),
  stallAfterMs: integer({
    env: "STALL_AFTER_MS",
    min: 1_000,
    fallback: 60_000,
    help: "No progress for this long and the stall doctor speaks up.",
  }),
  minFreeDisk: integer({
    env: "MIN_FREE_DISK",
    min: 0,
    fallback: 1_073_741_824,
    help: "Ingestion pauses while the embedded database's disk has fewer free bytes than this.",
  }),
  outboxKeepHours: integer({
    env: "OUTBOX_KEEP_HOURS",
    min: 1,
    fallback: 24,
    help: "How long entries of `app.outbox` are kept: a client that was away for less loses no event of the stream.",
  }),
  outboxKeepEntries: integer({
    env: "OUTBOX_KEEP_ENTRIES",
    min: 1_000,
    fallback: 500_000,
    help: "Most entries of `app.outbox`; the oldest are deleted first.",
  }),
  apiConnections: integer({
    env: "API_CONNECTIONS",
    min: 1,
    max: 100,
    fallback: 8,
    help: "Most read-only connections of the role `serve` to each database of a chain.",
  }),
  apiStreams: integer({
    env: "API_STREAMS",
    min: 0,
    max: 100_000,
    fallback: 1_000,
    help: "Most open event streams (`/v1/stream`) of the role `serve`.",
  }),
  apiRequestsPerMinute: integer({
    env: "API_REQUESTS_PER_MINUTE",
    min: 0,
    fallback: 0,
    help: "Most requests for data that one API key or address may send in a minute (IPv6 counts by /64); 0 is no limit.",
  }),
  apiKeys: text({
    env: "API_KEYS",
    allowed: "a comma list of name:key, each key of at least 16 characters",
    pattern: /^[a-z0-9_-]+:[^\s,:]{16,}(,[a-z0-9_-]+:[^\s,:]{16,})*$/,
    fallback: undefined,
    help: "Clients that send one of these keys as `x-api-key` are counted by its name and not by their address.",
  }),
  corsOrigins: text({
    env: "CORS_ORIGINS",
    allowed: "a comma list of origins",
    pattern: /^https?:\/\/[^\s,/]+(,https?:\/\/[^\s,/]+)*$/,
    fallback: undefined,
    help: "Origins whose pages may read the data API; none by default.",
  }),
  pooledConnections: flag({
    env: "DB_POOLED",
    fallback: false,
    help: "Set it when a transaction pooler sits in front of Postgres: backends are then not recorded with leases.",
  }),
} as const

export type ProcessSettings = SettingValues<typeof processSettings>

/** Of one chain, of whatever family. */
export const chainSettings = {
  dbRawUrl: text({
    env: "DB_RAW_URL",
    allowed: "a postgres:// URL",
    pattern: postgresUrl,
    fallback: undefined,
    help: "Database for raw blocks; without it an embedded Postgres is used.",
  }),
  dbAppUrl: text({
    env: "DB_APP_URL",
    allowed: "a postgres:// URL",
    pattern: postgresUrl,
    fallback: undefined,
    help: "Database for derived tables; the raw one by default.",
  }),
  dbRawReadUrl: text({
    env: "DB_RAW_READ_URL",
    allowed: "a postgres:// URL",
    pattern: postgresUrl,
    fallback: undefined,
    help: "Where the role `serve` reads raw blocks, such as a replica or a role that may only read; DB_RAW_URL by default.",
  }),
  dbAppReadUrl: text({
    env: "DB_APP_READ_URL",
    allowed: "a postgres:// URL",
    pattern: postgresUrl,
    fallback: undefined,
    help: "The same for derived tables; DB_RAW_READ_URL by default where raw and app are one database.",
  }),
  dbCapacityBytes: integer({
    env: "DB_CAPACITY_BYTES",
    min: 1,
    fallback: undefined,
    help: "How many bytes both databases may take on your own server; without it, status cannot tell when they are full.",
  }),
  startBlock: integer({
    env: "START_BLOCK",
    min: 0,
    fallback: undefined,
    help: "First block of the chain to index. Stored at the first start; may be lowered later, never raised.",
  }),
  rawPartitionBlocks: integer({
    env: "RAW_PARTITION_BLOCKS",
    min: 1_000,
    max: 1_000_000_000,
    fallback: undefined,
    help: "Blocks in a partition of a new store's raw tables; 5,000,000, and 10,000,000 for events, by default. Fixed once a block is stored.",
  }),
  appPartitionBlocks: integer({
    env: "APP_PARTITION_BLOCKS",
    min: 1_000,
    max: 1_000_000_000,
    fallback: undefined,
    help: "The same for the tables of built-in workers; 10,000,000 by default. Your own workers declare theirs.",
  }),
  endBlock: integer({
    env: "END_BLOCK",
    min: 0,
    fallback: undefined,
    help: "This process claims nothing above this block.",
  }),
  backfill: choice({
    env: "BACKFILL",
    of: ["oldest", "newest"],
    fallback: "oldest",
    help: "Which end of history is filled first.",
  }),
  finalityDepth: integer({
    env: "FINALITY_DEPTH",
    min: 0,
    fallback: 64,
    help: "Blocks behind the head taken as final where the node has no `finalized` tag.",
  }),
  maxReorgDepth: integer({
    env: "MAX_REORG_DEPTH",
    min: 0,
    fallback: 1_000,
    help: "A deeper reorganisation is not rolled back by itself: ingestion halts until a person decides.",
  }),
  reorgConfirmMs: integer({
    env: "REORG_CONFIRM_MS",
    min: 0,
    fallback: 3_000,
    help: "Where only one provider tells of a reorganisation, it has to say the same again after this long before blocks are taken back.",
  }),
  frozenAfterBlocks: integer({
    env: "FROZEN_AFTER_BLOCKS",
    min: 0,
    max: 1_000_000,
    fallback: 20,
    help: "A head that does not move and is older than this many of the chain's own blocks, and than a minute, is reported as NODE_FROZEN; 0 for a chain that makes blocks only on demand.",
  }),
  rpcMaxRps: integer({
    env: "RPC_MAX_RPS",
    min: 0,
    fallback: 0,
    help: "Most RPC calls a second to each provider (a batch of 20 counts 20), over all threads of the process; 0 is no limit.",
  }),
  rpcMaxInFlight: integer({
    env: "RPC_MAX_IN_FLIGHT",
    min: 0,
    max: 4096,
    fallback: 0,
    help: "Most requests under way to each provider, over all threads of the process; 0 is no limit.",
  }),
  rpcBatchBlocks: integer({
    env: "RPC_BATCH_BLOCKS",
    min: 1,
    max: 1_000,
    fallback: 100,
    help: "Most blocks asked for in one request; the size adapts below it.",
  }),
  rpcTimeoutMs: integer({
    env: "RPC_TIMEOUT_MS",
    min: 100,
    fallback: 30_000,
    help: "How long a request to the node may take.",
  }),
  rpcMaxResponseBytes: integer({
    env: "RPC_MAX_RESPONSE_BYTES",
    min: 1_024,
    fallback: 134_217_728,
    help: "A larger answer is cut off and asked for in smaller pieces.",
  }),
  pollIntervalMs: integer({
    env: "POLL_INTERVAL_MS",
    min: 50,
    fallback: 500,
    help: "How often the head is asked for where no WebSocket announces it; four times as long as the last answer took, where that is more.",
  }),
  deferIndexes: flag({
    env: "DEFER_INDEXES",
    fallback: false,
    help: "For a bulk load: partitions wholly below the live stretch get their secondary indexes once every block of them is stored.",
  }),
  workers: text({
    env: "WORKERS",
    allowed: "`all`, `none`, or a comma list of workers",
    pattern: /^[a-z0-9_]+(\s*,\s*[a-z0-9_]+)*$/,
    fallback: "all",
    help: "Which workers derive tables, built in or your own; what they depend on is included.",
  }),
} as const

export type ChainSettingValues = SettingValues<typeof chainSettings>
