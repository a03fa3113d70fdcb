// transaction getstatus and gettxreceiptstatus: whether a transaction failed.

import { rawIngester } from "../../../../coordination/raw-ingester.js"
import type { EtherscanAction, EtherscanAsk } from "../../../../queries/etherscan/etherscan-action.js"
import { EtherscanError } from "../../../../queries/etherscan/etherscan-error.js"
import { readStored } from "./read-stored.js"

const lookUpSql = `select t.status from raw.tx_lookup l
  cross join lateral (select status from raw.transactions where block_height = l.block_height and id = l.id offset 0) as t
  where l.id = $1 order by l.block_height desc limit 1`

async function statusOf(ask: EtherscanAsk) {
  const hash = ask.params.hash("txhash")
  const { value, completeness } = await readStored(ask, async ({ tx }) => {
    const { rows } = await tx.query<{ status: number | null }>(lookUpSql, [hash])
    return rows[0]
  })
  // Etherscan says of such a transaction that it did not fail.
  if (!value) throw new EtherscanError(`Error! There is no such transaction in what ${rawIngester} has stored`)
  return { status: value.status, completeness }
}

export const transactionStatus: readonly EtherscanAction[] = [
  {
    module: "transaction",
    action: "getstatus",
    answer: async (ask) => {
      const { status, completeness } = await statusOf(ask)
      return { kind: "value", value: { isError: status === 0 ? "1" : "0", errDescription: "" }, completeness }
    },
  },
  {
    module: "transaction",
    action: "gettxreceiptstatus",
    answer: async (ask) => {
      const { status, completeness } = await statusOf(ask)
      return { kind: "value", value: { status: status === null ? "" : String(status) }, completeness }
    },
  },
]
