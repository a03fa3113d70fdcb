// meta_worker: which addresses took part in which transactions and in which role, and which contracts were deployed.
// It reads raw blocks only, so that it can run beside token_worker; both decode transfers with the same code.

import { bool, bytes, int4, int8, nullable, text, timestamp } from "../../../../workers/column.js"
import { eventTable, last, stateTable, sum } from "../../../../workers/define-worker.js"
import type { FoldSource } from "../../../../workers/worker-definition.js"
import { defineWorker, eventColumns, one, partitionBlocks } from "../../define-worker.js"
import { type AddressRole, forEachAddressRole } from "./address-roles.js"
import { decodeDeployments } from "./decode-deployments.js"

/** Counts the rows of address_transactions that meet a condition, by address. */
export const countAddressRows = (column: string, where: NonNullable<FoldSource["where"]>): FoldSource => ({
  table: "address_transactions",
  where,
  key: { address: "address" },
  set: { [column]: one },
})

const countOfRole = (column: string, role: AddressRole) => countAddressRows(column, { role: { is: role } })

export const metaWorker = defineWorker({
  name: "meta_worker",
  version: 1,
  tables: {
    address_transactions: eventTable({
      columns: {
        block_height: int8,
        transaction_index: int4,
        transaction_id: bytes,
        address: bytes,
        role: text,
        timestamp,
        first_of_transaction: bool,
      },
      key: ["block_height", "transaction_id", "address", "role"],
      partitionBlocks,
      indexes: [["address", "block_height", "transaction_index"]],
    }),
    address_stats: stateTable({
      key: { address: bytes },
      columns: {
        transaction_count: sum(int8),
        sent_count: sum(int8),
        received_count: sum(int8),
        token_sent_count: sum(int8),
        token_received_count: sum(int8),
        emitted_count: sum(int8),
        created_count: sum(int8),
      },
      sources: [
        countAddressRows("transaction_count", { first_of_transaction: { is: true } }),
        countOfRole("sent_count", "from"),
        countOfRole("received_count", "to"),
        countOfRole("token_sent_count", "token_from"),
        countOfRole("token_received_count", "token_to"),
        countOfRole("emitted_count", "emitter"),
        countOfRole("created_count", "created"),
      ],
      track: ["first", "last"],
      position: ["block_height", "transaction_index"],
    }),
    contract_deployments: eventTable({
      columns: {
        ...eventColumns,
        address: bytes,
        deployer: nullable(bytes),
        method: text,
        init_code_hash: nullable(bytes),
      },
      key: ["block_height", "transaction_index", "event_index"],
      indexes: [["address", "block_height", "transaction_index", "event_index"]],
    }),
    smart_contracts: stateTable({
      key: { address: bytes },
      columns: {
        // More than 1 when a contract was destroyed and deployed again, or when several logs claim it.
        deployment_count: sum(int8),
        deployer: last(bytes),
        transaction_id: last(bytes),
        method: last(text),
        init_code_hash: last(bytes),
      },
      sources: [
        {
          table: "contract_deployments",
          key: { address: "address" },
          set: {
            deployment_count: one,
            deployer: "deployer",
            transaction_id: "transaction_id",
            method: "method",
            init_code_hash: "init_code_hash",
          },
        },
      ],
      track: ["first", "last"],
      position: ["block_height", "transaction_index", "event_index"],
    }),
  },
  extract({ block, emit }) {
    const { height, timestampUs } = block
    for (const transaction of block.transactions) {
      const { index } = transaction
      const id = transaction.field("id")
      forEachAddressRole(transaction, ({ address, role, firstOfTransaction }) =>
        emit.address_transactions({
          block_height: height,
          transaction_index: index,
          transaction_id: id,
          address,
          role,
          timestamp: timestampUs,
          first_of_transaction: firstOfTransaction,
        }),
      )
      for (const { eventIndex, address, deployer, method, initCodeHash } of decodeDeployments(transaction)) {
        emit.contract_deployments({
          block_height: height,
          transaction_index: index,
          event_index: eventIndex,
          transaction_id: id,
          timestamp: timestampUs,
          address,
          deployer,
          method,
          init_code_hash: initCodeHash,
        })
      }
    }
  },
})
