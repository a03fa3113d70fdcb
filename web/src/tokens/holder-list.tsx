// Who holds a token, the largest first, with their share of what is about.

import type { ReactNode } from "react"
import type { RowOf } from "../data/api-query"
import { ApiList } from "../lists/api-list"
import { Address } from "../parts/address"
import { Amount } from "../parts/amount"
import type { Column } from "../parts/data-list"
import { formatNumber } from "../parts/format-number"
import { Share } from "../parts/share"

type HolderRow = RowOf<"/tokens/{contract}/holders">

interface HolderListProps {
  readonly contract: string
  /** What was minted less what was burned. */
  readonly supply: string | undefined
  readonly cursor: string | undefined
}

/** None where the contract's transfers do not add up. */
function shareOf(balance: string, supply: string | undefined): number | undefined {
  const [part, whole] = [BigInt(balance), BigInt(supply ?? 0)]
  return whole > 0n && part >= 0n && part <= whole ? Number((part * 10_000n) / whole) / 100 : undefined
}

export function HolderList({ contract, supply, cursor }: HolderListProps): ReactNode {
  const columns: readonly Column<HolderRow>[] = [
    { name: "Holder", lead: true, cell: ({ address }) => <Address address={address} /> },
    {
      name: "Balance",
      end: true,
      cell: ({ balance, decimals }) => <Amount units={balance} decimals={decimals} symbol="" aligned />,
    },
    {
      name: "Share",
      end: true,
      cell: ({ balance }) => {
        const share = shareOf(balance, supply)
        return share === undefined ? "–" : <Share percent={share} />
      },
    },
    { name: "In", end: true, cell: (row) => formatNumber(row.transfers_in) },
    { name: "Out", end: true, cell: (row) => formatNumber(row.transfers_out) },
  ]
  return (
    <ApiList
      title="Holders"
      path="/tokens/{contract}/holders"
      args={{ contract }}
      cursor={cursor}
      columns={columns}
      keyOf={({ address }) => address}
      empty="Nobody holds this token now."
      first="Largest"
      older="Smaller"
    />
  )
}
