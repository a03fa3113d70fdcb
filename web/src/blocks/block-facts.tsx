// What is known of one block. What a chain does not have is a dash: the facts are as high as they were awaited.

import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import type { Answer } from "../data/api-query"
import { useNativeCoin } from "../data/native-coin"
import { Address } from "../parts/address"
import { Amount } from "../parts/amount"
import { type AwaitedFact, type Fact, Facts } from "../parts/facts"
import { Finality } from "../parts/finality"
import { formatNumber, plural } from "../parts/format-number"
import { Hash } from "../parts/hash"
import { Share } from "../parts/share"
import { Time } from "../parts/time"

type Block = Answer<"/blocks/{block}">["data"]

const long = (name: string): AwaitedFact => ({ name, isLong: true })

export const blockFactNames: readonly AwaitedFact[] = [
  ...[
    "Time",
    "Finality",
    long("Hash"),
    long("Parent"),
    "Contents",
    "Gas used",
    "Base fee",
    "Burnt",
    long("Fee recipient"),
  ],
  ...["State root", "Transactions root", "Receipts root"].map(long),
]

export function BlockFacts({ block }: { readonly block: Block }): ReactNode {
  const chain = useChain()
  const coin = useNativeCoin()
  const { gas_used: used, gas_limit: limit, base_fee_per_gas: fee } = block
  const hash = (value: string | null, name: string): ReactNode =>
    value ? <Hash value={value} name={name} whole /> : "–"
  const facts: readonly Fact[] = [
    { name: "Time", value: <Time at={block.timestamp} both /> },
    { name: "Finality", value: <Finality height={block.height} /> },
    { name: "Hash", value: hash(block.hash, "block hash") },
    {
      name: "Parent",
      value: (
        <Hash
          value={block.parent_hash}
          name="parent hash"
          whole
          to="/$chain/blocks/$block"
          params={{ chain, block: block.parent_hash }}
        />
      ),
    },
    {
      name: "Contents",
      value: `${plural(block.transaction_count, "transaction")}, ${plural(block.event_count, "event")}`,
    },
    {
      name: "Gas used",
      value:
        used && limit ? (
          <>
            {formatNumber(used)} <span className="quiet">of {formatNumber(limit)}</span>{" "}
            <Share percent={limit === "0" ? 0 : Number((BigInt(used) * 1_000n) / BigInt(limit)) / 10} />
          </>
        ) : (
          "–"
        ),
    },
    { name: "Base fee", value: fee ? <Amount units={fee} decimals={9} symbol="Gwei" /> : "–" },
    {
      name: "Burnt",
      value: fee && used ? <Amount units={String(BigInt(fee) * BigInt(used))} decimals={18} symbol={coin} /> : "–",
    },
    { name: "Fee recipient", value: block.miner ? <Address address={block.miner} whole /> : "–" },
    { name: "State root", value: hash(block.state_root, "state root") },
    { name: "Transactions root", value: hash(block.transactions_root, "transactions root") },
    { name: "Receipts root", value: hash(block.receipts_root, "receipts root") },
  ]
  return <Facts facts={facts} />
}
