// Every list that the API has of an EVM chain, as somebody may ask for it: with each number of its filters, in each order, and
// in the format of Etherscan. For what looks at their plans.

import { evmFamily } from "../../src/families/evm/evm-family.js"
import {
  accountTransactionList,
  accountTransactionSelection,
} from "../../src/families/evm/queries/etherscan/account-transactions.js"
import {
  collectionCountList,
  collectionCountSelection,
  holderList,
  holderSelection,
  holdingList,
  holdingSelection,
} from "../../src/families/evm/queries/etherscan/holdings.js"
import { logList, logSelection } from "../../src/families/evm/queries/etherscan/logs.js"
import { transferKinds, transferSelection } from "../../src/families/evm/queries/etherscan/token-transfers.js"
import { EtherscanParams } from "../../src/queries/etherscan/etherscan-params.js"
import type { WindowedList } from "../../src/queries/etherscan/read-window.js"
import type { ListResource, RequestValues, Selection } from "../../src/queries/resource.js"

export interface ListCase {
  readonly title: string
  readonly list: ListResource
  readonly request: RequestValues
}

/** What lists are asked about. Heights and places in them are decimal. */
export interface ListValues extends RequestValues {
  readonly address: string
  readonly contract: string
  readonly hash: string
  readonly topic0: string
  readonly block: string
  readonly at: string
  readonly lookup_height: string
  readonly lookup_index: string
}

/** What the path needs, then with the first filter, with the first two and so on, in each of the list's orders. */
export function listCases(values: ListValues): ListCase[] {
  const lists = evmFamily.resources.filter((one): one is ListResource => one.kind === "list")
  return lists.flatMap((list) => {
    const path = ["lookup_height", "lookup_index", ...Object.keys(list.params ?? {})]
    const optional = Object.keys(list.query ?? {})
    return [undefined, ...Object.keys(list.sorts ?? {})].flatMap((sort) =>
      Array.from({ length: optional.length + 1 }, (_, count) => {
        const given = optional.slice(0, count)
        const request = Object.fromEntries([...path, ...given].map((name) => [name, values[name]!]))
        const title = [list.path, ...given, ...(sort ? [`sort=${sort}`] : [])].join(" ")
        const sorted: ListResource = { ...list, ...(sort ? list.sorts![sort] : {}) }
        return { title, list: sorted, request: { ...request, ...(sort ? { sort } : {}) } }
      }),
    )
  })
}

export interface WindowCase {
  readonly title: string
  readonly list: WindowedList
  readonly selection: Selection
  readonly large?: string
}

/** In the format of Etherscan. */
export function windowCases(values: Pick<ListValues, "address" | "contract" | "topic0">): WindowCase[] {
  const [address, contract] = [values.address, values.contract].map((hex) => Buffer.from(hex.slice(2), "hex"))
  const logs = (query: object): Selection => logSelection(new EtherscanParams(query))
  const none = { address: undefined, contract: undefined }
  return [
    {
      ...{ title: "txlist", list: accountTransactionList, large: "input" },
      selection: accountTransactionSelection(address!),
    },
    ...transferKinds.flatMap((kind) =>
      [{ address }, { contract }, { address, contract }].map((of) => ({
        title: `${kind.action} of ${Object.keys(of).join(" and ")}`,
        list: kind.list,
        selection: transferSelection(kind, { ...none, ...of }),
      })),
    ),
    ...[
      { address: values.contract },
      { address: values.contract, topic0: values.topic0 },
      { topic0: values.topic0 },
    ].map((of) => ({
      title: `getLogs by ${Object.keys(of).join(" and ")}`,
      ...{ list: logList, selection: logs(of), large: "data" },
    })),
    { title: "addresstokenbalance", list: holdingList, selection: holdingSelection(address!) },
    { title: "addresstokennftbalance", list: collectionCountList, selection: collectionCountSelection(address!) },
    { title: "tokenholderlist", list: holderList, selection: holderSelection(contract!) },
  ]
}
