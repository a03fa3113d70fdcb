// How a block looks in a list.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import type { RowOf } from "../data/api-query"
import { Address } from "../parts/address"
import { Amount } from "../parts/amount"
import type { Column } from "../parts/data-list"
import { formatNumber } from "../parts/format-number"
import { Share } from "../parts/share"
import { Time } from "../parts/time"

export type BlockRow = RowOf<"/blocks">

export function BlockLink({ height }: { readonly height: string }): ReactNode {
  const chain = useChain()
  return (
    <Link to="/$chain/blocks/$block" params={{ chain, block: height }} data-copy={height}>
      {formatNumber(height)}
    </Link>
  )
}

const gasShare = ({ gas_used: used, gas_limit: limit }: BlockRow): number =>
  used && limit && limit !== "0" ? Number((BigInt(used) * 1_000n) / BigInt(limit)) / 10 : 0

/** In the places where there is little room. */
export const shortBlockColumns: readonly Column<BlockRow>[] = [
  { name: "Height", lead: true, cell: ({ height }) => <BlockLink height={height} /> },
  { name: "Age", cell: ({ timestamp }) => <Time at={timestamp} /> },
  { name: "Transactions", end: true, cell: (block) => formatNumber(block.transaction_count) },
  { name: "Gas", end: true, cell: (block) => <Share percent={gasShare(block)} /> },
]

export const blockColumns: readonly Column<BlockRow>[] = [
  ...shortBlockColumns.slice(0, 3),
  { name: "Events", end: true, cell: (block) => formatNumber(block.event_count) },
  { name: "Gas used", end: true, cell: (block) => <Share percent={gasShare(block)} /> },
  {
    name: "Base fee",
    end: true,
    cell: ({ base_fee_per_gas: fee }) => (fee === null ? "–" : <Amount units={fee} decimals={9} symbol="Gwei" />),
  },
  { name: "Fee recipient", wide: true, cell: ({ miner }) => (miner === null ? "–" : <Address address={miner} />) },
]
