// What one may do about dead blocks: try them again, or go on without them. Described here, done by the admin routes.

import { TidemarkError } from "tidemark/client"
import type { RowOf } from "../../data/api-query"
import { formatNumber, plural } from "../../parts/format-number"
import { plainText } from "../../parts/plain-text"
import type { Act } from "../acts/act"
import { repeatAct } from "../acts/repeat-act"
import type { Worker } from "../graph/worker-state"
import { retryFollows, retryUndo, skipFollows, skipUndo, waitWords } from "./act-words"

export type DeadGroup = RowOf<"/ops/leases/dead">

export interface Ground {
  readonly chain: string
  readonly workers: readonly Worker[]
}

export function retryGroup({ chain, workers }: Ground, group: DeadGroup): Act {
  const { worker } = group
  return {
    title: `Retry ${plural(group.blocks, "dead block")} of ${worker}`,
    ...{ button: `Retry ${plural(group.blocks, "block")}`, audited: "retry" },
    does: "All dead blocks with this error are tried again at once, with all their attempts.",
    ...{ concerns: groupWords(group), follows: `${retryFollows}${waitWords(worker, workers)}`, undo: retryUndo },
    run: manyOf({ chain, act: "retry", body: bodyOf(group), did: "will be tried again now" }),
  }
}

export function skipGroup({ chain, workers }: Ground, group: DeadGroup): Act {
  const { worker } = group
  return {
    title: `Skip ${plural(group.blocks, "dead block")} of ${worker}`,
    ...{ button: `Skip ${plural(group.blocks, "block")}`, audited: "skip", isGrave: true },
    does: "All dead blocks with this error count as done without their data.",
    ...{
      concerns: groupWords(group),
      follows: skipFollows({ worker, workers, blocks: group.blocks }),
      undo: skipUndo(group.blocks),
    },
    run: manyOf({ chain, act: "skip", body: bodyOf(group), did: "skipped" }),
  }
}

/** Every dead block: of one worker, or of all. */
export function retryAllDead({ chain, workers }: Ground, worker: string | undefined): Act {
  const whose = workers.filter((one) => one.leases.dead > 0 && (worker === undefined || one.worker === worker))
  const blocks = whose.reduce((sum, { leases }) => sum + leases.dead, 0)
  return {
    title: `Retry all ${plural(blocks, "dead block")}`,
    ...{ button: `Retry ${plural(blocks, "block")}`, audited: "retry" },
    does: "Every dead block is tried again at once, whatever its error, with all its attempts.",
    concerns: whose.map((one) => `${one.worker} (${plural(one.leases.dead, "block")})`).join(", "),
    ...{ follows: retryFollows, undo: retryUndo },
    commandOf: () => `tidemark leases retry --all-dead${worker ? ` --worker ${worker}` : ""} --chain ${chain}`,
    run: manyOf({ chain, act: "retry", body: { worker, all_dead: true }, did: "will be tried again now" }),
  }
}

const bodyOf = ({ worker, error_code: code, fault }: DeadGroup) => ({ worker, code, fault, all_dead: true })

interface Many {
  readonly chain: string
  readonly act: "retry" | "skip"
  readonly body: Readonly<Record<string, unknown>>
  readonly did: string
}

const manyOf =
  ({ chain, act, body, did }: Many): Act["run"] =>
  async (_values, run) => {
    const list = act === "retry" ? "retried" : "skipped"
    const { done, left } = await repeatAct({ path: `/admin/${chain}/leases/${act}`, body, list, ...run })
    if (done === 0)
      throw new TidemarkError("none of these blocks is dead any more", { code: "NOT_FOUND", status: 404 })
    const rest =
      left > 0 ? ` ${plural(left, "block is", "blocks are")} left as ${left === 1 ? "it was" : "they were"}.` : ""
    return `${plural(done, "block")} ${did}.${rest}`
  }

function groupWords({ worker, blocks, first_height: first, last_height: last, error_code, error }: DeadGroup): string {
  const where =
    first === last
      ? `Block ${formatNumber(first)}`
      : `${plural(blocks, "block")} between ${formatNumber(first)} and ${formatNumber(last)}`
  return `${where} of ${worker}, with ${error_code}: ${plainText(error, 160) || "no message"}`
}
