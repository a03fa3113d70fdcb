// stats dailytx and dailytxnfee: sums by UTC day.

import type { EtherscanAction, EtherscanAsk } from "../../../../queries/etherscan/etherscan-action.js"
import { EtherscanError } from "../../../../queries/etherscan/etherscan-error.js"
import { readCovered } from "../../../../queries/etherscan/read-covered.js"
import { heightAtTime } from "../../../../queries/height-at-time.js"
import { readStored } from "./read-stored.js"

interface Day {
  readonly [column: string]: unknown
  readonly day: string
  readonly time: string
  readonly transactions: string
  readonly fees: string
}

const daysSql = `select day::text as day, extract(epoch from day)::int8::text as time, transactions::text, fees::text
  from app.daily_stats where day >= $1::date and day <= $2::date order by day limit 10000`

function dayOf({ params }: EtherscanAsk, name: string): string {
  const text = params.required(name)
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text)
  if (!isDay || text.startsWith("0000")) throw new EtherscanError(`Error! Invalid ${name}: yyyy-MM-dd`)
  return text
}

/** The days with a block on either side, so that nothing is missing at their ends. */
async function heightsOf(ask: EtherscanAsk, [first, last]: readonly string[]) {
  const midnight = (day: string, days: number): Date => new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000)
  const { value } = await readStored(ask, async ({ tx, newest }) => {
    const from = await heightAtTime(tx, midnight(first!, 0))
    const to = await heightAtTime(tx, midnight(last!, 1))
    return { from: Math.max(0, from - 1), to: to > newest ? undefined : to }
  })
  return value
}

/** Wei in ether, exactly. */
function etherText(wei: string): string {
  const digits = wei.padStart(19, "0")
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`
}

const daily = (action: string, fields: (day: Day) => Record<string, unknown>): EtherscanAction => ({
  module: "stats",
  action,
  answer: async (ask) => {
    const days = [dayOf(ask, "startdate"), dayOf(ask, "enddate")]
    const heights = await heightsOf(ask, days)
    const isDescending = ask.params.isDescending
    const workers = ["tx_metrics_worker", "token_worker", "meta_worker", "stats_worker"]
    const { value, completeness } = await readCovered(ask, { store: "app", workers, ...heights }, async ({ tx }) => {
      const { rows } = await tx.query<Day>(daysSql, days)
      return isDescending ? rows.reverse() : rows
    })
    const rows = value.map((day) => ({ UTCDate: day.day, unixTimeStamp: day.time, ...fields(day) }))
    return { kind: "list", none: "No records found", rows, completeness }
  },
})

export const dailyStats: readonly EtherscanAction[] = [
  daily("dailytx", ({ transactions }) => ({ transactionCount: Number(transactions) })),
  daily("dailytxnfee", ({ fees }) => ({ transactionFee_Eth: etherText(fees) })),
]
