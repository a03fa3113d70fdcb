// Events (logs), by the contract that emitted them.

import { Type } from "typebox"
import { RequestError } from "../../../queries/request-error.js"
import type { ApiResource, ResourceColumn } from "../../../queries/resource.js"
import { addressParam, bytesOf, bytesOrNull, hashParam } from "../../../queries/value-schemas.js"
import { eventKey, eventPlaceColumns } from "./chain-columns.js"
import { eventExtension } from "./decoded-rows.js"

export const eventColumns: Readonly<Record<string, ResourceColumn>> = {
  ...eventPlaceColumns,
  address: bytesOrNull("t.address"),
  topic0: bytesOrNull("t.topic0"),
  topic1: bytesOrNull("t.topic1"),
  topic2: bytesOrNull("t.topic2"),
  topic3: bytesOrNull("t.topic3"),
  data: bytesOrNull("t.data"),
}

export const eventResources: readonly ApiResource[] = [
  {
    ...{ kind: "list", path: "/events", tag: "events", summary: "Events in chain order", store: "app" },
    workers: ["evm_worker"],
    extension: eventExtension,
    query: { address: Type.Optional(addressParam), topic0: Type.Optional(hashParam) },
    columns: eventColumns,
    key: eventKey,
    height: "t.block_height",
    order: "desc",
    needs: ({ topic0 }) => ({
      indexes: topic0 ? [{ table: "evm_logs", columns: ["address", "topic0", "block_height"] }] : [],
    }),
    select: async (_tx, { address, topic0 }) => {
      if (topic0 !== undefined && address === undefined) {
        throw new RequestError("BAD_REQUEST", "topic0 needs an address: events are indexed by the contract")
      }
      const where = [...(address ? ["t.address = $1"] : []), ...(topic0 ? ["t.topic0 = $2"] : [])]
      const values = [address, topic0].filter((one) => one !== undefined).map(bytesOf)
      return { branches: [{ from: "app.evm_logs t", where }], values }
    },
  },
]
