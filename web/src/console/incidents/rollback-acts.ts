// The second step of a rollback, and its cancellation. Described here, done by the admin routes.

import { formatNumber, plural } from "../../parts/format-number"
import { adminFetch } from "../access/admin-fetch"
import type { Act } from "../acts/act"

export interface RollbackPlan {
  /** The last block that stays. */
  readonly to: string
  readonly highest: string
  readonly blocks: number
  readonly transactions: number
  readonly events: number
  readonly halt: string | null
  readonly workers: readonly { readonly worker: string; readonly blocks: number }[]
  readonly confirmation: string
  readonly expires_in_ms: number
}

interface RollbackOptions {
  readonly chain: string
  readonly plan: RollbackPlan
  /** The plan is of no use any more. */
  readonly onDone: () => void
}

export const planRollback = (chain: string, to: string): Promise<RollbackPlan> =>
  adminFetch(`/admin/${chain}/rollback/plan`, { method: "POST", body: { to } })

export function rollBack({ chain, plan, onDone }: RollbackOptions): Act {
  const { to, confirmation } = plan
  const what = removedWords(plan)
  return {
    title: `Roll ${chain} back to block ${formatNumber(to)}`,
    ...{ button: `Remove ${plural(plan.blocks, "block")}`, audited: "rollback", isGrave: true },
    does: `${what} are deleted, and everything that was derived from them is undone. Block ${formatNumber(to)} becomes the highest.`,
    concerns: `${plural(plan.transactions, "transaction")} and ${plural(plan.events, "event")}, in the tables of ${plural(plan.workers.length, "worker")}. Blocks that are stored above meanwhile go too.`,
    follows:
      "Processes that run fetch these heights again, and store what the node has there. Readers of the stream are told where to start again.",
    undo: "It cannot be undone. It can be cancelled only until the first table has changed, usually within a second.",
    fields: [
      { name: "typed", label: "Confirm", hint: `type ${to} or ${chain}` },
      { name: "reason", label: "Why", hint: "for the list of rollbacks and the audit log", longest: 500 },
    ],
    faultOf: ({ typed = "" }) =>
      [to, chain].includes(typed.trim().replaceAll(",", ""))
        ? undefined
        : `To confirm, type the height ${to} or the chain's name ${chain}.`,
    commandOf: ({ reason = "" }) => {
      const why = reason.trim() === "" ? "" : ` --reason ${quoted(reason.trim())}`
      return `tidemark rollback --to ${to} --chain ${chain}${why} --yes`
    },
    run: async ({ reason = "" }) => {
      const why = reason.trim() === "" ? {} : { reason: reason.trim() }
      const body = { to, confirmation, ...why }
      const { done } = await adminFetch<{ done: boolean }>(`/admin/${chain}/rollback`, { method: "POST", body })
      onDone()
      return done ? `${what} were removed.` : "It is recorded, and the processes finish it: see above how far it is."
    },
  }
}

/** Such as "15 blocks, 45 to 59,". */
const removedWords = ({ to, highest, blocks }: RollbackPlan): string =>
  `${plural(blocks, "block")}, ${formatNumber(BigInt(to) + 1n)} to ${formatNumber(highest)},`

/** For a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export const cancelRollback = (chain: string, heights: string): Act => ({
  title: `Cancel the rollback ${heights}`,
  ...{ button: "Cancel the rollback", audited: "rollback cancel" },
  does: "The rollback is closed without removing anything, if neither database has acted on it yet.",
  concerns: `The rollback ${heights} of ${chain}.`,
  follows: "If the node still has another chain than the store, the rollback is recorded again within seconds.",
  undo: "Plan the rollback again.",
  commandOf: () => `tidemark rollback --cancel --chain ${chain} --yes`,
  run: async () => {
    await adminFetch(`/admin/${chain}/rollback/cancel`, { method: "POST", body: {} })
    return "The rollback was cancelled. Nothing was removed."
  },
})
