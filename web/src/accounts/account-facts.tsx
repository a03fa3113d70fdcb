// The sums of one account, of what is indexed. They are not its balance: value that contracts pass on leaves no trace here.

import type { ReactNode } from "react"
import type { Answer } from "../data/api-query"
import { useNativeCoin } from "../data/native-coin"
import { Amount } from "../parts/amount"
import { Facts } from "../parts/facts"
import { formatNumber, plural } from "../parts/format-number"
import { plainText } from "../parts/plain-text"
import { Lifetime } from "../tokens/lifetime"

export const accountFactNames = ["Transactions", "Value sent", "Value received", "Fees paid", "Seen"]

export function AccountFacts({ account }: { readonly account: Answer<"/accounts/{address}">["data"] }): ReactNode {
  const coin = useNativeCoin()
  const amount = (units: string): ReactNode => <Amount units={units} decimals={18} symbol={coin} />
  return (
    <Facts
      facts={[
        { name: "Label", value: account.label === null ? null : <bdi>{plainText(account.label)}</bdi> },
        {
          name: "Transactions",
          value: (
            <>
              {formatNumber(account.transaction_count)}
              <span className="quiet">
                , {formatNumber(account.transactions_sent)} sent
                {account.deployments !== "0" && `, ${plural(BigInt(account.deployments), "deployment")}`}
              </span>
            </>
          ),
        },
        { name: "Value sent", value: amount(account.value_sent) },
        { name: "Value received", value: amount(account.value_received) },
        { name: "Fees paid", value: amount(account.fees_paid) },
        { name: "Seen", value: <Lifetime first={account.first_block_height} last={account.last_block_height} /> },
      ]}
    />
  )
}
