// What one may do about one block of a worker.

import type { RowOf } from "../../data/api-query"
import { formatNumber } from "../../parts/format-number"
import { plainText } from "../../parts/plain-text"
import { adminFetch } from "../access/admin-fetch"
import type { Act } from "../acts/act"
import { rangeWords } from "../map/map-words"
import { retryFollows, retryUndo, skipFollows, skipUndo, waitWords } from "./act-words"
import type { Ground } from "./dead-acts"

type Lease = Pick<RowOf<"/ops/leases">, "worker" | "from" | "to" | "error_code" | "error">

/** A dead block, or a failed range. */
export function retryBlock({ chain, workers }: Ground, lease: Lease): Act {
  const { worker, from: height } = lease
  const blocks = blocksOf(lease)
  return {
    title: `Retry ${blocks} of ${worker}`,
    ...{ button: "Retry", audited: "retry" },
    does: "It is tried again at once, with all its attempts.",
    concerns: leaseWords(lease),
    ...{ follows: `${retryFollows}${waitWords(worker, workers)}`, undo: retryUndo },
    commandOf: () => `tidemark leases retry --height ${height} --worker ${worker} --chain ${chain}`,
    run: async () => {
      await adminFetch(`/admin/${chain}/leases/retry`, { method: "POST", body: { worker, height } })
      return `${capital(blocks)} of ${worker} will be tried again now.`
    },
  }
}

export function skipBlock({ chain, workers }: Ground, lease: Lease): Act {
  const { worker, from: height } = lease
  const blocks = blocksOf(lease)
  return {
    title: `Skip ${blocks} of ${worker}`,
    ...{ button: "Skip the block", audited: "skip", isGrave: true },
    does: "It counts as done without its data.",
    concerns: leaseWords(lease),
    ...{ follows: skipFollows({ worker, workers, blocks: 1 }), undo: skipUndo(1) },
    commandOf: () => `tidemark leases skip --height ${height} --worker ${worker} --chain ${chain}`,
    run: async () => {
      await adminFetch(`/admin/${chain}/leases/skip`, { method: "POST", body: { worker, height } })
      return `${capital(blocks)} of ${worker} is skipped.`
    },
  }
}

/** A block that was skipped before, or any that failed. */
export function retryHeight({ chain, workers }: Ground, worker: string, skipped: string): Act {
  return {
    title: `Retry a block of ${worker}`,
    ...{ button: "Retry the block", audited: "retry" },
    does: "A dead, failed or skipped block is tried again at once, with all its attempts.",
    concerns: skipped === "" ? `A block of ${worker}; none is skipped at the moment.` : `Skipped: ${skipped}.`,
    follows: `A skipped block is processed as if it had never been skipped, and so is all that depends on it.${waitWords(worker, workers)}`,
    undo: "Skip it again, once it is dead again.",
    fields: [{ name: "height", label: "Block", isNumber: true, longest: 15 }],
    faultOf: ({ height = "" }) => (/^\d{1,15}$/.test(height) ? undefined : "Give the height of the block, in digits."),
    commandOf: ({ height }) => `tidemark leases retry --height ${height || "N"} --worker ${worker} --chain ${chain}`,
    run: async ({ height = "" }) => {
      await adminFetch(`/admin/${chain}/leases/retry`, { method: "POST", body: { worker, height } })
      return `Block ${formatNumber(height)} of ${worker} will be tried again now.`
    },
  }
}

function blocksOf({ from, to }: Lease): string {
  const words = rangeWords({ from: Number(from), to: Number(to) })
  return BigInt(to) - BigInt(from) > 1n ? `blocks ${words}` : `block ${words}`
}

function leaseWords(lease: Lease): string {
  const said = lease.error === null ? "" : `, with ${lease.error_code}: ${plainText(lease.error, 160)}`
  return `${capital(blocksOf(lease))} of ${lease.worker}${said}`
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)
