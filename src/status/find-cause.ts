// Which cause a stall or a worry has, the most specific first. Error codes decide, never the text of an error.

import { rawIngester } from "../coordination/raw-ingester.js"
import { formatRange } from "../domain/block-range.js"
import type { ChainStatus, StatusError } from "./chain-status.js"
import { type CauseFinder, type CauseFinding, type CauseLimits, formatSeconds } from "./diagnosis.js"
import { behind, nodeBehind, nodeFrozen, nodeLeft } from "./find-head-cause.js"
import { rollbackFailing, rollbackRunning } from "./find-rollback-cause.js"
import { noWorkProcess, workerPaused, workerRefused, workerStuck } from "./find-worker-cause.js"

/** A follower writes its name at every poll of the head. */
const followerSilentMs = 30_000
/** The reaper runs every few seconds: a lease that expired longer ago than this is not reaped. */
const unreapedMs = 30_000

/** Why nothing moves. */
export function findCause(status: ChainStatus, limits: CauseLimits): CauseFinding {
  const { name, lastError } = status
  return (
    firstFound(stallFinders, status, limits) ?? {
      cause: "UNKNOWN",
      message: `${name} makes no progress; ${lastError ? `last error: ${describe(lastError)}` : "no error was recorded"}`,
      doing: "retrying; leases of dead processes pass to others within seconds",
      todo: "read the logs of the processes, and restart one that hangs: no data is lost",
    }
  )
}

/** What is wrong although things move. */
export const findWorry = (status: ChainStatus, limits: CauseLimits): CauseFinding | undefined =>
  firstFound(worryFinders, status, limits)

function firstFound(
  finders: readonly CauseFinder[],
  status: ChainStatus,
  limits: CauseLimits,
): CauseFinding | undefined {
  for (const find of finders) {
    const found = find(status, limits)
    if (found) return found
  }
  return undefined
}

const noProcess: CauseFinder = ({ name, processes }) =>
  processes.some(({ roles }) => roles.includes("ingest"))
    ? undefined
    : {
        cause: "NO_PROCESS",
        message:
          processes.length === 0
            ? `no process indexes ${name}`
            : `no process with the role ingest runs for ${name} (${processes.length} with other roles)`,
        doing: null,
        todo: "start one: `tidemark start`, with the same config or database URLs",
      }

const diskLow: CauseFinder = ({ processes, lastError }) => {
  const paused = processes.filter(({ state }) => state.paused === "disk")
  const full = lastError?.code === "DATABASE_FULL" ? lastError : undefined
  if (paused.length === 0 && !full) return undefined
  const where = paused.map(({ host }) => host).join(", ")
  return {
    cause: "DISK_LOW",
    message: full
      ? `the database has no room left: ${describe(full)}`
      : `the disk of the database is nearly full, so ingestion pauses (${where})`,
    doing: "queries continue; ingestion resumes automatically when there is room",
    todo: "free disk space or move the data to a larger disk; MIN_FREE_DISK sets the limit",
  }
}

const wrongChain: CauseFinder = ({ name, chainId, providers, lastError }) => {
  const wrong = providers.find(({ mismatch }) => mismatch !== null)
  if (!wrong && lastError?.code !== "CHAIN_MISMATCH") return undefined
  return {
    cause: "NODE_WRONG_CHAIN",
    message: wrong
      ? `${wrong.label} serves chain ${wrong.mismatch}, but ${name} is chain ${chainId ?? "another"}`
      : describe(lastError!),
    doing: wrong && providers.length > 1 ? "this provider is not used; the others are" : "none of its data is stored",
    todo: "correct RPC_URL (or the config's rpc), or use other databases for the other chain",
  }
}

const reorgHalt: CauseFinder = ({ name, halt }) =>
  halt === null
    ? undefined
    : {
        cause: "REORG_HALT",
        message: `${name}: ingestion halts: ${halt}`,
        doing: "nothing is deleted or stored; ingestion continues when the node is back on the stored chain",
        todo:
          "find out whether the node is right; if it is, `tidemark rollback --to H` shows what would be removed, " +
          "and removes it with --yes",
      }

const parentMismatch = ({ name }: ChainStatus, what: string): CauseFinding => ({
  cause: "PARENT_MISMATCH",
  message: `${name}: the chain was reorganised: ${what}`,
  doing:
    "blocks that the node no longer has are rolled back once that is certain; until then blocks that do not fit " +
    "are refused, and everything below continues",
  todo:
    "nothing, if it passes within seconds; else check whether the nodes agree on the chain and whether both " +
    "databases can be reached",
})

const deadBlock: CauseFinder = ({ deadBlocks }) => {
  const [first] = deadBlocks
  if (!first) return undefined
  const { worker, height, attempts, code, error } = first
  const which = `--height ${height}${worker === rawIngester ? "" : ` --worker ${worker}`}`
  const others = deadBlocks.length > 1 ? ` and ${deadBlocks.length - 1} more` : ""
  const reason = `${code ?? "BUG"}${error ? `, ${error}` : ""}`
  const dependents = worker === rawIngester ? "" : ", and workers that depend on this one stop there too"
  return {
    cause: "DEAD_BLOCK",
    message: `block ${height} of ${worker}${others} is DEAD after ${attempts} attempts: ${reason}`,
    doing: `all other blocks continue; the watermark stops below it${dependents}`,
    todo:
      `\`tidemark leases retry ${which}\` once the cause is fixed, or ` +
      `\`tidemark leases skip ${which}\` to continue without it`,
  }
}

const allProvidersDown: CauseFinder = ({ name, providers, lastError }) => {
  if (providers.length === 0 || providers.some(({ state }) => state !== "open")) return undefined
  if (lastError?.code === "RPC_RATE_LIMITED") return rateLimited(lastError)
  const labels = providers.map(({ label }) => label).join(", ")
  const answer = providers.find((provider) => provider.lastError)?.lastError
  const message =
    providers.length === 1
      ? `the node of ${name} (${labels}) does not answer`
      : `none of the ${providers.length} nodes of ${name} (${labels}) answers`
  return unreachable(`${message}${answer ? `: ${answer}` : ""}`)
}

const unreachable = (message: string): CauseFinding => ({
  cause: "NODE_UNREACHABLE",
  message,
  doing: "each node is retried every few seconds; indexing continues when one answers, and no attempt is counted",
  todo: "check that the node runs and RPC_URL is right; with a second URL in it indexing continues",
})

const rateLimited = (error: StatusError): CauseFinding => ({
  cause: "RATE_LIMITED",
  message: `the provider refuses more requests: ${describe(error)}`,
  doing: "requests wait and slow down automatically",
  todo: "set RPC_MAX_RPS to what the plan allows, or add another provider to RPC_URL",
})

/** By the newest error that is not over. */
const lastFault: CauseFinder = (status) => {
  const { lastError: error } = status
  switch (error?.code) {
    case undefined:
      return undefined
    case "RPC_UNREACHABLE":
    case "RPC_TIMEOUT":
    case "RPC_NO_PROVIDER":
    case "RPC_ERROR":
      return unreachable(`the node of ${status.name} does not serve what is requested: ${describe(error)}`)
    case "RPC_RATE_LIMITED":
      return rateLimited(error)
    case "RPC_BLOCK_MISSING":
      return behind(`the node does not have blocks it should have: ${describe(error)}`)
    case "VERIFY_FAILED":
    case "VERIFY_UNSUPPORTED":
    case "RPC_BAD_RESPONSE":
      return {
        cause: "NODE_LYING",
        message: `the node's answers fail verification: ${describe(error)}`,
        doing: "none of it is stored; it is requested again, from another provider if there is one",
        todo: "try another node. If this chain really is like that, disable the check that the error names in the config",
      }
    case "PARENT_MISMATCH":
    case "SEAM_MISMATCH":
    case "ROLLED_BACK":
    case "ROLLBACK_OPEN":
      return parentMismatch(status, describe(error))
    case "DATABASE_UNREACHABLE":
    case "DATABASE_CONFLICT":
    case "SERVER_CHANGED":
      return {
        cause: "DATABASE_UNREACHABLE",
        message: `ingestion cannot write to the database: ${describe(error)}`,
        doing: "retrying; indexing continues automatically, and no data is lost",
        todo: "check whether the database is overloaded, in recovery, or out of connections",
      }
    default:
      return undefined
  }
}

const leaseStuck: CauseFinder = ({ workers }, { stallAfterMs }) => {
  for (const { worker, unfinished } of workers) {
    const stuck = unfinished.find(
      (lease) =>
        lease.status === "ACTIVE" &&
        ((lease.expiresInMs ?? 0) < -unreapedMs || (lease.leasedForMs ?? 0) > stallAfterMs),
    )
    if (!stuck) continue
    const expired = (stuck.expiresInMs ?? 0) < 0
    const held = `held by ${stuck.leasedBy ?? "no process"} for ${formatSeconds(stuck.leasedForMs ?? 0)}`
    const ending = expired ? "; its lease has expired" : ""
    return {
      cause: "LEASE_STUCK",
      message: `${worker} ${formatRange(stuck.range)} has been ${held} and is not done${ending}`,
      doing: expired
        ? "the reaper of any process releases it to another one"
        : "its holder still renews it; when it stops, another process takes over",
      todo: expired ? "check whether any process runs" : "restart the holder if it hangs: no data is lost",
    }
  }
  return undefined
}

const noFollower: CauseFinder = ({ name, follower, followerAgeMs, processes, headAgeMs }) => {
  // A process that has just started is not elected yet.
  const upMs = Math.max(0, ...processes.filter(({ roles }) => roles.includes("ingest")).map((one) => one.upMs))
  if (Math.min(upMs, followerAgeMs ?? upMs) <= followerSilentMs) return undefined
  const last = follower ? `; ${follower} did until ${formatSeconds(followerAgeMs ?? headAgeMs ?? 0)} ago` : ""
  return {
    cause: "NO_FOLLOWER",
    message: `no process follows the head of ${name}${last}`,
    doing: "every process with the role ingest takes part in an election every few seconds",
    todo: "read the processes' logs for why they cannot read the head",
  }
}

const recentFault: CauseFinder = (status, limits) => {
  const { lastError } = status
  if (!lastError || lastError.agoMs > limits.stallAfterMs) return undefined
  const found = lastFault(status, limits)
  // An occasional timeout or rate limit is normal while things move.
  return found && ["NODE_LYING", "PARENT_MISMATCH"].includes(found.cause) ? found : undefined
}

const stallFinders: readonly CauseFinder[] = [
  noProcess,
  diskLow,
  wrongChain,
  reorgHalt,
  rollbackFailing,
  rollbackRunning,
  allProvidersDown,
  lastFault,
  deadBlock,
  leaseStuck,
  nodeBehind,
  nodeFrozen,
  noFollower,
  noWorkProcess,
  workerRefused,
  workerStuck,
]

const worryFinders: readonly CauseFinder[] = [
  deadBlock,
  wrongChain,
  diskLow,
  reorgHalt,
  rollbackFailing,
  rollbackRunning,
  recentFault,
  allProvidersDown,
  nodeFrozen,
  nodeBehind,
  nodeLeft,
  noFollower,
  noWorkProcess,
  workerRefused,
  workerStuck,
  workerPaused,
]

const describe = ({ code, message, where }: StatusError): string => `${message} (${code}, ${where})`
