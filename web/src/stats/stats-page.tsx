// What happened on each day: plots to read and hover, and the same numbers as a table.

import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { apiQuery, type RowOf } from "../data/api-query"
import { useNativeCoin } from "../data/native-coin"
import { Amount } from "../parts/amount"
import { CompletenessBadge } from "../parts/completeness-badge"
import { type Column, DataList } from "../parts/data-list"
import { ErrorNotice } from "../parts/error-notice"
import { formatNumber, plural } from "../parts/format-number"
import { Panel } from "../parts/panel"
import { Page } from "../shell/page"
import { DailyPlot } from "./daily-plot"
import styles from "./stats-page.module.css"

type Day = RowOf<"/stats/daily">

const days = 180

const inCoins = (units: string): number => Number(BigInt(units) / 10n ** 9n) / 1e9

function Fees({ units }: { readonly units: string }): ReactNode {
  return <Amount units={units} decimals={18} symbol={useNativeCoin()} aligned />
}

const columns: readonly Column<Day>[] = [
  { name: "Day (UTC)", lead: true, cell: ({ day }) => day.slice(0, 10) },
  { name: "Transactions", end: true, cell: (row) => formatNumber(row.transactions) },
  { name: "Failed", end: true, cell: (row) => formatNumber(row.failed) },
  { name: "Gas used", end: true, cell: (row) => formatNumber(row.gas_used) },
  { name: "Token transfers", end: true, cell: (row) => formatNumber(row.ft_transfers) },
  { name: "NFT transfers", end: true, cell: (row) => formatNumber(row.nft_transfers) },
  { name: "Deployments", end: true, cell: (row) => formatNumber(row.deployments) },
  { name: "Fees", end: true, cell: ({ fees }) => <Fees units={fees} /> },
]

export function StatsPage(): ReactNode {
  const coin = useNativeCoin()
  const { data, error, refetch } = useQuery(apiQuery(useChain(), "/stats/daily", { order: "desc", limit: days }))
  const rows = data?.data
  const rising = rows?.toReversed()
  const at = rising?.map(({ day }) => Date.parse(`${day.slice(0, 10)}T00:00:00Z`) / 1_000)
  const of = (name: Exclude<keyof Day, "day" | "fees">): number[] | undefined =>
    rising?.map((row) => Number(row[name]))
  return (
    <Page title="Statistics" sub={rows ? `By day in UTC, ${plural(rows.length, "day")}.` : "\u00a0"}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {rows?.length !== 0 && (
        <div className={styles.plots}>
          <DailyPlot
            title="Transactions"
            at={at}
            values={of("transactions")}
            also={{ name: "failed", values: of("failed"), isBad: true }}
          />
          <DailyPlot
            title="Transfers of tokens"
            at={at}
            values={of("ft_transfers")}
            also={{ name: "NFTs", values: of("nft_transfers") }}
          />
          <DailyPlot title="Gas used" at={at} values={of("gas_used")} />
          <DailyPlot title={`Fees in ${coin}`} at={at} values={rising?.map(({ fees }) => inCoins(fees))} />
        </div>
      )}
      <Panel title="Days" side={<CompletenessBadge meta={data?.meta} />}>
        <DataList
          label="Days"
          columns={columns}
          rows={rows}
          awaited={7}
          keyOf={({ day }) => day}
          empty="No day is indexed yet."
        />
      </Panel>
    </Page>
  )
}
