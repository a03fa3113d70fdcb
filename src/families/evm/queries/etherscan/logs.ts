// logs getLogs: the logs of a contract, or of a few blocks, with filters on topics. Numbers are hex.

import type { EtherscanAction } from "../../../../queries/etherscan/etherscan-action.js"
import { EtherscanError } from "../../../../queries/etherscan/etherscan-error.js"
import type { EtherscanParams } from "../../../../queries/etherscan/etherscan-params.js"
import { readCovered } from "../../../../queries/etherscan/read-covered.js"
import { readWindow, type WindowedList } from "../../../../queries/etherscan/read-window.js"
import type { Selection } from "../../../../queries/resource.js"
import { bytesOrNull, integer, number } from "../../../../queries/value-schemas.js"
import { eventKey } from "../chain-columns.js"
import { hex, hexOrEmpty, quantity } from "./etherscan-values.js"
import { atOneEpoch, readCompanions } from "./read-companions.js"
import { readLongValues } from "./read-long-values.js"

interface Row {
  readonly [column: string]: unknown
  readonly height: string
  readonly time: string
  readonly id: Buffer
  readonly transaction: number
  readonly index: number
  readonly address: Buffer | null
  readonly topics: readonly (Buffer | null)[]
  readonly data: Buffer | null
  readonly is_long: number
}

/** Logs are indexed by the contract that emitted them: without one, few blocks can be read. */
const mostBlocksWithoutAddress = 100
const pageSize = 1_000

export const logList: WindowedList = {
  key: eventKey,
  height: "t.block_height",
  columns: {
    height: number("t.block_height"),
    time: number("extract(epoch from t.timestamp)::int8"),
    id: bytesOrNull("t.transaction_id"),
    transaction: integer("t.transaction_index"),
    index: integer("t.event_index"),
    address: bytesOrNull("t.address"),
    topics: bytesOrNull("array[t.topic0, t.topic1, t.topic2, t.topic3]"),
    data: bytesOrNull("t.data"),
    is_long: integer("(t.payload_hash is not null)::int4"),
  },
}

export function logSelection(params: EtherscanParams): Selection {
  const values: Buffer[] = []
  const equals = (column: string, value: Buffer): string => `t.${column} = $${values.push(value)}`
  const address = params.optionalAddress("address")
  const where = address ? [equals("address", address)] : []
  const given = [0, 1, 2, 3].flatMap((at) => {
    const topic = params.optionalHash(`topic${at}`)
    return topic ? [{ at, sql: equals(`topic${at}`, topic) }] : []
  })
  const operators = given.flatMap(({ at }, i) =>
    given.slice(i + 1).map((other) => params.text(`topic${at}_${other.at}_opr`)?.toLowerCase() ?? "and"),
  )
  if (operators.some((one) => one !== "and" && one !== "or")) throw new EtherscanError("Error! Invalid topic operator")
  if (new Set(operators).size > 1) throw new EtherscanError("Error! Topic operators must be all `and` or all `or`")
  const conditions = given.map(({ sql }) => sql)
  const isEither = operators[0] === "or"
  return {
    branches: [
      { from: "app.evm_logs t", where: [...where, ...(isEither ? [`(${conditions.join(" or ")})`] : conditions)] },
    ],
    values,
  }
}

export const logs: EtherscanAction = {
  module: "logs",
  action: "getLogs",
  answer: (ask) =>
    atOneEpoch(ask.chain, async () => {
      const { chain, params } = ask
      const request = {
        selection: logSelection(params),
        page: params.page({ size: pageSize, most: pageSize }),
        order: params.isDescending ? ("desc" as const) : ("asc" as const),
        large: "data",
      }
      const [from, to] = [params.height("fromblock"), params.height("toblock")]
      const need = { store: "app" as const, workers: ["evm_worker"], from, to }
      const { value, scope, completeness } = await readCovered(ask, need, (covered) => {
        const { asked } = covered
        if (params.text("address") === undefined && asked.to - asked.from > mostBlocksWithoutAddress) {
          throw new EtherscanError(
            `Error! Without an address, at most ${mostBlocksWithoutAddress} blocks can be asked for: logs are indexed by contract`,
          )
        }
        return readWindow<Row>(covered, logList, request)
      })
      const companion = await readCompanions(chain, { epoch: scope.epoch, places: value })
      const long = value.filter(({ is_long: isLong }) => isLong === 1)
      const data = await readLongValues(chain, { of: "data", epoch: scope.epoch, places: long })
      const dataOf = new Map(long.map((row, at) => [row, data[at]]))
      const rows = value.map((row) => {
        const transaction = companion(row)
        const bytes = dataOf.get(row) ?? row.data
        return {
          address: hexOrEmpty(row.address),
          topics: row.topics.filter((topic) => topic !== null).map(hex),
          data: bytes ? hex(bytes) : "0x",
          blockNumber: quantity(row.height),
          blockHash: hex(transaction.block_hash),
          timeStamp: quantity(row.time),
          gasPrice: quantity(transaction.gas_price),
          gasUsed: quantity(transaction.gas_used),
          logIndex: quantity(row.index),
          transactionHash: hex(row.id),
          transactionIndex: quantity(row.transaction),
        }
      })
      return { kind: "list", none: "No records found", rows, completeness }
    }),
}
