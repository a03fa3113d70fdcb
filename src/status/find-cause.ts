// Which cause a stall or a worry has, most telling first. Codes decide, never the text of an error.

import { rawIngester } from "../coordination/raw-ingester.js"
import { formatRange } from "../domain/block-range.js"
import type { CauseFinder, CauseFinding, CauseLimits } from "./cause-finding.js"
import type { ChainStatus, StatusError } from "./chain-status.js"
import { noWorkProcess, workerPaused, workerRefused, workerStuck } from "./find-worker-cause.js"

/** A follower writes its name at every poll of the head. */
const followerSilentMs = 30_000
/** The reaper looks every few seconds: a lease expired for longer than this is seen by nobody. */
const unreapedMs = 30_000

/** Why nothing moves. */
export function findCause(status: ChainStatus, limits: CauseLimits): CauseFinding {
  for (const find of stallFinders) {
    const found = find(status, limits)
    if (found) return found
  }
  return {
    cause: "UNKNOWN",
    message: `${status.name} does not move${status.lastError ? `; the last error was ${told(status.lastError)}` : ", and no error was recorded"}`,
    doing: "trying again; leases of dead holders are given to others within seconds",
    todo: "look at the log of the processes, and restart one if it hangs: nothing is lost by it",
  }
}

/** What is wrong although things move. */
export function findWorry(status: ChainStatus, limits: CauseLimits): CauseFinding | undefined {
  for (const find of [
    deadBlock,
    wrongChain,
    diskLow,
    reorgHalt,
    openRollback,
    recentFault,
    allProvidersAway,
    nodeBehind,
    noFollower,
    noWorkProcess,
    workerRefused,
    workerStuck,
    workerPaused,
  ]) {
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
      ? `the database has no room left: ${told(full)}`
      : `the disk of the database is nearly full, so ingestion pauses (${where})`,
    doing: "reads and answers go on; ingestion resumes by itself when there is room",
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
      : told(lastError!),
    doing: wrong && providers.length > 1 ? "this provider is not used; the others are" : "nothing of it is stored",
    todo: "correct RPC_URL (or the config's rpc), or use other databases for the other chain",
  }
}

const openRollback: CauseFinder = (status) =>
  status.rollbackOpen ? parentMismatch(status, "a rollback of the chain is recorded and not finished") : undefined

const reorgHalt: CauseFinder = ({ name, halt }) =>
  halt === null
    ? undefined
    : {
        cause: "REORG_HALT",
        message: `${name}: ingestion halts: ${halt}`,
        doing:
          "nothing is deleted and nothing is stored; it goes on by itself when the node is back on the stored chain",
        todo: "find out whether the node is right; if it is, `tidemark rollback --to H` says what would be taken back, and does it with --yes",
      }

const parentMismatch = ({ name }: ChainStatus, what: string): CauseFinding => ({
  cause: "PARENT_MISMATCH",
  message: `${name}: the chain was reorganised: ${what}`,
  doing:
    "what the node no longer has is rolled back once that is certain; until then blocks that do not fit are refused, and everything below goes on",
  todo: "nothing, if it passes within seconds; else see whether the nodes agree on the chain and whether both databases can be reached",
})

const deadBlock: CauseFinder = ({ deadBlocks }) => {
  const [first] = deadBlocks
  if (!first) return undefined
  const which = `--height ${first.height}${first.worker === rawIngester ? "" : ` --worker ${first.worker}`}`
  const others = deadBlocks.length > 1 ? ` and ${deadBlocks.length - 1} more` : ""
  return {
    cause: "DEAD_BLOCK",
    message: `block ${first.height} of ${first.worker}${others} is DEAD after ${first.attempts} tries: ${first.code ?? "BUG"}${first.error ? `, ${first.error}` : ""}`,
    doing:
      first.worker === rawIngester
        ? "all other blocks go on; the watermark stops below it"
        : "all other blocks and workers go on; the watermark stops below it, and so does whoever reads its rows",
    todo: `\`tidemark leases retry ${which}\` once the cause is gone, or \`tidemark leases skip ${which}\` to go on without it`,
  }
}

const allProvidersAway: CauseFinder = ({ name, providers, lastError }) => {
  if (providers.length === 0 || providers.some(({ state }) => state !== "open")) return undefined
  if (lastError?.code === "RPC_RATE_LIMITED") return rateLimited(lastError)
  const said = providers.find((provider) => provider.lastError)?.lastError
  return unreachable(
    `${providers.length === 1 ? `the node of ${name}` : `none of the ${providers.length} nodes of ${name}`} (${providers.map(({ label }) => label).join(", ")}) ${providers.length === 1 ? "does not answer" : "answers"}${said ? `: ${said}` : ""}`,
  )
}

const unreachable = (message: string): CauseFinding => ({
  cause: "NODE_UNREACHABLE",
  message,
  doing:
    "each node is asked again every few seconds; indexing goes on by itself when one answers, and no attempt is counted",
  todo: "see whether the node runs and RPC_URL is right; a second URL in it lets indexing go on",
})

const rateLimited = (error: StatusError): CauseFinding => ({
  cause: "RATE_LIMITED",
  message: `the provider refuses more requests: ${told(error)}`,
  doing: "requests wait and slow down by themselves",
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
      return unreachable(`the node of ${status.name} does not give what is asked for: ${told(error)}`)
    case "RPC_RATE_LIMITED":
      return rateLimited(error)
    case "RPC_BLOCK_MISSING":
      return behind(`the node does not have blocks it should have: ${told(error)}`)
    case "VERIFY_FAILED":
    case "VERIFY_UNSUPPORTED":
    case "RPC_BAD_RESPONSE":
      return {
        cause: "NODE_LYING",
        message: `what the node answers was checked and found wrong: ${told(error)}`,
        doing: "nothing of it is stored; it is asked for again, from another provider where there is one",
        todo: "try another node. If this chain really is like that, the error names the check to turn off in the config",
      }
    case "PARENT_MISMATCH":
    case "SEAM_MISMATCH":
    case "ROLLED_BACK":
    case "ROLLBACK_OPEN":
      return parentMismatch(status, told(error))
    case "DATABASE_UNREACHABLE":
    case "DATABASE_CONFLICT":
    case "SERVER_CHANGED":
      return {
        cause: "DATABASE_UNREACHABLE",
        message: `ingestion cannot write to the database: ${told(error)}`,
        doing: "trying again; indexing goes on by itself, and nothing is lost",
        todo: "see whether the database is overloaded, in recovery, or out of connections",
      }
    default:
      return undefined
  }
}

const behind = (message: string): CauseFinding => ({
  cause: "NODE_BEHIND",
  message,
  doing: "waiting for the node to catch up; other providers are asked where there are some",
  todo: "see whether the node is syncing or pruned; add another provider to RPC_URL",
})

const nodeBehind: CauseFinder = ({ head, storedHead }) =>
  head !== null && storedHead !== null && storedHead > head
    ? behind(`the node's head is ${head}, below block ${storedHead} that is stored already`)
    : undefined

const leaseStuck: CauseFinder = ({ workers }, { stallAfterMs }) => {
  for (const { worker, unfinished } of workers) {
    const stuck = unfinished.find(
      (lease) =>
        lease.status === "ACTIVE" &&
        ((lease.expiresInMs ?? 0) < -unreapedMs || (lease.leasedForMs ?? 0) > stallAfterMs),
    )
    if (!stuck) continue
    const expired = (stuck.expiresInMs ?? 0) < 0
    return {
      cause: "LEASE_STUCK",
      message: `${worker} ${formatRange(stuck.range)} has been held by ${stuck.leasedBy ?? "nobody"} for ${Math.round((stuck.leasedForMs ?? 0) / 1_000)} s and is not done${expired ? "; its lease has expired" : ""}`,
      doing: expired
        ? "the reaper of any process gives it to another one"
        : "its holder still renews it; it is given to another one when it stops doing so",
      todo: expired ? "see whether a process runs at all" : "restart the holder if it hangs: nothing is lost by it",
    }
  }
  return undefined
}

const noFollower: CauseFinder = ({ name, follower, followerAgeMs, processes, headAgeMs }) => {
  // A process that came up a moment ago has yet to be elected.
  const upMs = Math.max(0, ...processes.filter(({ roles }) => roles.includes("ingest")).map((one) => one.upMs))
  if (Math.min(upMs, followerAgeMs ?? upMs) <= followerSilentMs) return undefined
  return {
    cause: "NO_FOLLOWER",
    message: follower
      ? `nobody follows the head of ${name}; ${follower} did until ${Math.round((followerAgeMs ?? headAgeMs ?? 0) / 1_000)} s ago`
      : `nobody follows the head of ${name}`,
    doing: "every process with the role ingest stands for election every few seconds",
    todo: "look at the processes' logs for why they cannot ask for the head",
  }
}

const recentFault: CauseFinder = (status, limits) => {
  const { lastError } = status
  if (!lastError || lastError.agoMs > limits.stallAfterMs) return undefined
  const found = lastFault(status, limits)
  // A timeout or a limit now and then is daily life while things move.
  return found && ["NODE_LYING", "PARENT_MISMATCH"].includes(found.cause) ? found : undefined
}

const stallFinders: readonly CauseFinder[] = [
  noProcess,
  diskLow,
  wrongChain,
  reorgHalt,
  openRollback,
  allProvidersAway,
  lastFault,
  deadBlock,
  leaseStuck,
  nodeBehind,
  noFollower,
  noWorkProcess,
  workerRefused,
  workerStuck,
]

const told = ({ code, message, where }: StatusError): string => `${message} (${code}, ${where})`
