// What is indexed, by what one looks up here: each with how far it is.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import type { ChainStatus } from "../data/status-query"
import { formatPercent, plural } from "../parts/format-number"
import { Panel } from "../parts/panel"
import { plainText } from "../parts/plain-text"
import styles from "./index-panel.module.css"

type Worker = ChainStatus["workers"][number]

/** Others are called as their config calls them. */
const names: Readonly<Record<string, string>> = {
  raw_ingester: "Blocks",
  evm_worker: "Transactions, events",
  token_worker: "Token transfers",
  ft_holdings_worker: "Token balances",
  nft_ownership_worker: "NFT owners",
  token_metadata_worker: "Token names",
  accounts_worker: "Accounts",
  meta_worker: "Account histories",
  tx_contracts_worker: "Contract code",
  tx_metrics_worker: "Fees and gas",
  stats_worker: "Daily statistics",
  search_worker: "Search",
}
const order = Object.keys(names)
/** As many as there are without a config file. */
const awaited = order.length
/** More than a moment of the head. */
const behindBlocks = 20

const placeOf = ({ worker }: Worker): number => (order.includes(worker) ? order.indexOf(worker) : order.length)

export function IndexPanel({ status }: { readonly status: ChainStatus | undefined }): ReactNode {
  const chain = useChain()
  const workers = status?.workers.toSorted((one, other) => placeOf(one) - placeOf(other))
  return (
    <Panel
      title="What is indexed"
      side={
        <Link to="/console/$chain" params={{ chain }}>
          Console
        </Link>
      }
    >
      <ul className={styles.index} aria-busy={workers === undefined}>
        {workers
          ? workers.map((worker) => <Indexed key={worker.worker} worker={worker} />)
          : // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same.
            Array.from({ length: awaited }, (_, at) => <li key={at}>&nbsp;</li>)}
      </ul>
    </Panel>
  )
}

function Indexed({ worker }: { readonly worker: Worker }): ReactNode {
  const name = names[worker.worker] ?? plainText(worker.worker, 40)
  const isThere = isAtHead(worker)
  return (
    <li title={`${worker.worker}: ${formatPercent(worker.percent)}`}>
      <span className={styles.name}>{name}</span>
      <span className={styles.gauge} aria-hidden="true">
        <span
          className={isThere ? styles.done : styles.part}
          style={{ width: `${isThere ? 100 : worker.percent}%` }}
        />
      </span>
      <span className={isThere ? styles.state : styles.behind}>{stateOf(worker)}</span>
    </li>
  )
}

const isAtHead = ({ percent, lag_blocks: lag, leases, paused }: Worker): boolean =>
  !paused && leases.dead === 0 && (percent === 100 || (lag !== null && lag <= behindBlocks && percent > 99))

function stateOf(worker: Worker): string {
  const { paused, percent, leases } = worker
  if (leases.dead > 0) return plural(leases.dead, "dead block")
  if (paused) return `paused at ${formatPercent(percent, 1)}`
  return isAtHead(worker) ? "at the head" : formatPercent(percent, 1)
}
