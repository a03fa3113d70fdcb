// Everything that is answered about an EVM chain in the format of Etherscan, and what is known not to be.

import type { EtherscanAction } from "../../../../queries/etherscan/etherscan-action.js"
import { EtherscanError } from "../../../../queries/etherscan/etherscan-error.js"
import { accountTransactions } from "./account-transactions.js"
import { blockTimes } from "./block-times.js"
import { chainProxy } from "./chain-proxy.js"
import { contracts } from "./contracts.js"
import { dailyStats } from "./daily-stats.js"
import { holdings } from "./holdings.js"
import { logs } from "./logs.js"
import { nodeActions } from "./node-actions.js"
import { tokenTransfers } from "./token-transfers.js"
import { transactionStatus } from "./transaction-status.js"

/** Never an empty list: that would say that there is nothing. */
const unanswerable = (module: string, action: string, reason: string): EtherscanAction => ({
  module,
  action,
  answer: async () => {
    throw new EtherscanError(`Error! ${action} is not answered here: ${reason}`)
  },
})

const traces = "it needs traces, which are not indexed"
const sources = "sources are not kept"

export const refusedActions: readonly EtherscanAction[] = [
  unanswerable("account", "txlistinternal", traces),
  unanswerable("account", "txsbeaconwithdrawal", "withdrawals have no index"),
  unanswerable("account", "getminedblocks", "blocks have no index by miner"),
  unanswerable("account", "balancehistory", "balances of past blocks need an archive of the state"),
  unanswerable("account", "tokenbalancehistory", "only the newest balances are kept"),
  unanswerable("block", "getblockreward", traces),
  unanswerable("contract", "verifysourcecode", sources),
  unanswerable("contract", "checkverifystatus", sources),
  unanswerable("contract", "verifyproxycontract", sources),
  unanswerable("contract", "checkproxyverification", sources),
]

export const etherscanActions: readonly EtherscanAction[] = [
  accountTransactions,
  ...tokenTransfers,
  ...holdings,
  logs,
  ...transactionStatus,
  ...blockTimes,
  ...contracts,
  ...chainProxy,
  ...dailyStats,
  ...nodeActions,
  ...refusedActions,
]
