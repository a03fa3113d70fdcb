// What is known of one transaction.

import type { ReactNode } from "react"
import { BlockLink } from "../blocks/block-columns"
import type { Answer } from "../data/api-query"
import { useNativeCoin } from "../data/native-coin"
import { Address } from "../parts/address"
import { Amount } from "../parts/amount"
import { type Fact, Facts } from "../parts/facts"
import { Finality } from "../parts/finality"
import { formatNumber, formatPercent } from "../parts/format-number"
import { Time } from "../parts/time"
import { TransactionStatus } from "./transaction-status"

export type Transaction = Answer<"/transactions/{hash}">["data"]

const types: Readonly<Record<number, string>> = {
  0: "legacy",
  1: "with an access list",
  2: "dynamic fee",
  3: "with blobs",
  4: "sets code",
}

export function TransactionFacts({ transaction }: { readonly transaction: Transaction }): ReactNode {
  const coin = useNativeCoin()
  const { from_address: from, to_address: to, contract_address: made, value, type, nonce } = transaction
  const { gas_used: used, gas_limit: limit, effective_gas_price: paid, gas_price: offered } = transaction
  const price = paid ?? offered
  const gwei = (units: string | null) => units && <Amount units={units} decimals={9} symbol="Gwei" />
  const facts: readonly Fact[] = [
    { name: "Status", value: <TransactionStatus status={transaction.status} /> },
    {
      name: "Block",
      value: (
        <>
          <BlockLink height={transaction.block_height} />
          <span className="quiet">, position {formatNumber(transaction.transaction_index)}</span>
        </>
      ),
    },
    { name: "Finality", value: <Finality height={transaction.block_height} /> },
    { name: "Time", value: <Time at={transaction.timestamp} both /> },
    { name: "From", value: from && <Address address={from} whole /> },
    { name: "To", value: to && <Address address={to} whole /> },
    { name: "Contract created", value: made && <Address address={made} whole /> },
    { name: "Value", value: value && <Amount units={value} decimals={18} symbol={coin} /> },
    {
      name: "Fee",
      value: used && price && <Amount units={String(BigInt(used) * BigInt(price))} decimals={18} symbol={coin} />,
    },
    { name: "Gas price", value: gwei(price) },
    { name: "Most per gas", value: gwei(transaction.max_fee_per_gas) },
    { name: "Most for priority", value: gwei(transaction.max_priority_fee_per_gas) },
    {
      name: "Gas used",
      value: used && (
        <>
          {formatNumber(used)}
          {limit && limit !== "0" && (
            <span className="quiet">
              {" "}
              of {formatNumber(limit)}, {formatPercent(Number((BigInt(used) * 10_000n) / BigInt(limit)) / 100, 1)}
            </span>
          )}
        </>
      ),
    },
    { name: "Nonce", value: nonce && formatNumber(nonce) },
    { name: "Type", value: type === null ? null : `${type}${types[type] ? `, ${types[type]}` : ""}` },
  ]
  return <Facts facts={facts} />
}
