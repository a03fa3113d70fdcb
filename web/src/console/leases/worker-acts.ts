// What one may do to a worker: pause, resume, limit, derive again.

import { formatNumber, plural } from "../../parts/format-number"
import { plainText } from "../../parts/plain-text"
import { adminFetch } from "../access/admin-fetch"
import { type Act, type ActValues, reasonField } from "../acts/act"
import { heldBy } from "../graph/held-by"
import type { Worker } from "../graph/worker-state"
import { listOf, one } from "./act-words"
import type { Ground } from "./dead-acts"

/** In one act: it is one transaction that holds the chain. */
const mostHeights = 10_000n
const whole = /^\d{1,15}$/

const post = (chain: string, worker: string, act: string, body: unknown): Promise<unknown> =>
  adminFetch(`/admin/${chain}/workers/${worker}/${act}`, { method: "POST", body })

export function pauseWorker({ chain, workers }: Ground, { worker, leases }: Worker): Act {
  const dependents = heldBy(worker, workers)
  return {
    title: `Pause ${worker}`,
    ...{ button: "Pause", audited: "pause" },
    does: "Within a second no process claims more ranges of it. What is in progress finishes.",
    concerns: `${worker}, with ${plural(leases.active, "range")} in progress.`,
    follows:
      dependents.length === 0
        ? "It falls behind until somebody resumes it. Everything else continues."
        : `It falls behind until somebody resumes it, and so ${one(dependents, "does", "do")} ${listOf(dependents)}. Everything else continues.`,
    undo: "Resume it: it catches up, and nothing is lost.",
    fields: [reasonField],
    commandOf: ({ reason }) =>
      `tidemark workers pause ${worker}${reason ? ` --reason ${inShell(reason)}` : ""} --chain ${chain}`,
    run: async ({ reason = "" }) => {
      await post(chain, worker, "pause", reason.trim() === "" ? {} : { reason: reason.trim() })
      return `${worker} is paused.`
    },
  }
}

export function resumeWorker(
  { chain, workers }: Ground,
  { worker, paused_reason: reason, lag_blocks: lag }: Worker,
): Act {
  const dependents = heldBy(worker, workers)
  const others = dependents.length === 0 ? "" : ` ${listOf(dependents)} ${one(dependents, "follows", "follow")}.`
  return {
    title: `Resume ${worker}`,
    ...{ button: "Resume", audited: "resume" },
    does: "Its ranges are claimed again, within a second.",
    concerns: `${worker}, paused${reason ? ` because of: ${plainText(reason, 200)}` : " without a reason given"}.`,
    follows: `It catches up${lag ? ` ${plural(lag, "block")}` : ""}.${others}`,
    undo: "Pause it again.",
    commandOf: () => `tidemark workers resume ${worker} --chain ${chain}`,
    run: async () => {
      await post(chain, worker, "resume", {})
      return `${worker} goes on.`
    },
  }
}

export function limitWorker({ chain }: Ground, { worker, concurrency, leases }: Worker): Act {
  const limitOf = ({ limit = "" }: ActValues): string => limit.trim()
  return {
    title: `Limit ${worker}`,
    ...{ button: "Set the limit", audited: "concurrency" },
    does: "At most so many of its ranges are worked on at once, over all processes together.",
    concerns: `${worker}: ${limitWords(concurrency)} now, ${plural(leases.active, "range")} in progress.`,
    follows: "Ranges in progress finish, however many they are.",
    undo: `Set it back${concurrency === null ? ": an empty field is no limit" : ` to ${formatNumber(concurrency)}`}.`,
    fields: [
      {
        name: "limit",
        label: "Ranges at once",
        hint: "empty for no limit",
        isNumber: true,
        longest: 9,
        initial: String(concurrency ?? ""),
      },
    ],
    faultOf: (values) =>
      /^([1-9]\d{0,8})?$/.test(limitOf(values)) ? undefined : "Give a number from 1 on, or nothing.",
    commandOf: (values) => `tidemark workers concurrency ${worker} ${limitOf(values) || "none"} --chain ${chain}`,
    run: async (values) => {
      const limit = limitOf(values) === "" ? null : Number(limitOf(values))
      await post(chain, worker, "concurrency", { concurrency: limit })
      return `${worker} has ${limitWords(limit)}.`
    },
  }
}

export function rederiveHeights({ chain, workers }: Ground, { worker, watermark_height: mark }: Worker): Act {
  const dependents = heldBy(worker, workers)
  return {
    title: `Derive blocks of ${worker} again`,
    ...{ button: "Derive again", audited: "rederive" },
    does: "What was derived of these blocks is undone in one transaction, and derived again at once.",
    concerns: `${[worker, ...dependents].join(", ")}. ${mark === null ? "Nothing is complete yet" : `Complete to ${formatNumber(mark)}`}.`,
    follows:
      "Until they are derived again, answers over these blocks say that they are missing. Other blocks are not touched.",
    undo: "There is nothing to undo: the rows end up as what the worker makes of the stored blocks.",
    fields: [
      { name: "first", label: "First block", isNumber: true, longest: 15 },
      { name: "last", label: "Last block", hint: "at most 10,000 blocks", isNumber: true, longest: 15 },
    ],
    faultOf: rederiveFault,
    run: async ({ first = "", last = "" }) => {
      const body = { from: first, to: String(BigInt(last) + 1n) }
      await post(chain, worker, "rederive", body)
      return `${plural(BigInt(last) - BigInt(first) + 1n, "block")} of ${worker} will be derived again now.`
    },
  }
}

function rederiveFault({ first = "", last = "" }: ActValues): string | undefined {
  if (!whole.test(first) || !whole.test(last)) return "Give the first and the last block, in digits."
  const count = BigInt(last) - BigInt(first) + 1n
  if (count < 1n) return "The last block is below the first."
  return count > mostHeights ? `These are ${formatNumber(count)} blocks; 10,000 can be done at once.` : undefined
}

export const limitWords = (limit: number | null): string =>
  limit === null ? "no limit" : `a limit of ${plural(limit, "range")}`

/** In one argument, whatever was typed. */
const inShell = (text: string): string => `'${plainText(text, 200).replaceAll("'", `'\\''`)}'`
