// Event tables and folds over them that between them use everything a fold can do, in the shapes of the built-in indexes.

import { amount, bytes, date, int2, int4, int8, nullable, numeric, text, timestamp } from "../../src/workers/column.js"
import { eventTable, first, last, max, min, stateTable, sum } from "../../src/workers/define-worker.js"
import type { StateTable, WorkerDefinition } from "../../src/workers/worker-definition.js"

export const zeroAddress = `0x${"00".repeat(20)}`

export const sampleEvents = {
  transfers: eventTable({
    columns: {
      block_height: int8,
      transaction_index: int4,
      event_index: int4,
      batch_index: int4,
      timestamp,
      contract_address: bytes,
      from_address: bytes,
      to_address: bytes,
      operator: nullable(bytes),
      amount,
      kind: text,
    },
    key: ["block_height", "transaction_index", "event_index", "batch_index"],
    indexes: [["contract_address", "block_height", "transaction_index", "event_index"]],
  }),
  calls: eventTable({
    columns: {
      block_height: int8,
      transaction_index: int4,
      timestamp,
      from_address: nullable(bytes),
      to_address: nullable(bytes),
      status: nullable(int2),
      value: nullable(amount),
      gas: nullable(int4),
    },
    key: ["block_height", "transaction_index"],
  }),
}

const one = { literal: 1 }
const place = ["block_height", "transaction_index", "event_index", "batch_index"]

export const sampleStates: Readonly<Record<string, StateTable>> = {
  holdings: stateTable({
    key: { address: bytes, contract_address: bytes },
    columns: { balance: sum(numeric), transfers_in: sum(int8), transfers_out: sum(int8) },
    sources: [
      {
        table: "transfers",
        where: { from_address: { isNot: zeroAddress } },
        key: { address: "from_address", contract_address: "contract_address" },
        set: { balance: { negate: "amount" }, transfers_out: one },
      },
      {
        table: "transfers",
        where: { to_address: { isNot: zeroAddress } },
        key: { address: "to_address", contract_address: "contract_address" },
        set: { balance: "amount", transfers_in: one },
      },
    ],
  }),
  ownership: stateTable({
    key: { contract_address: bytes },
    columns: {
      owner: last(bytes),
      operator: last(bytes),
      minter: first(bytes),
      mark: first(text),
      transfer_count: sum(int8),
    },
    sources: [
      {
        table: "transfers",
        where: { kind: { is: "it's" } },
        key: { contract_address: "contract_address" },
        set: {
          owner: "to_address",
          operator: "operator",
          minter: "from_address",
          mark: { literal: "\\'a" },
          transfer_count: one,
        },
      },
      // Counted, and at neither end.
      {
        table: "transfers",
        where: { kind: { is: "mint" } },
        key: { contract_address: "contract_address" },
        set: { transfer_count: one },
        seen: false,
      },
    ],
    track: ["first", "last"],
    position: place,
  }),
  // Both parties of a row share its position: the order of the sources decides.
  parties: stateTable({
    key: { address: bytes },
    columns: { role: last(text), other: first(bytes) },
    sources: [
      {
        table: "transfers",
        key: { address: "from_address" },
        set: { role: { literal: "from" }, other: "to_address" },
      },
      {
        table: "transfers",
        key: { address: "to_address" },
        set: { role: { literal: "to" }, other: "from_address" },
      },
    ],
    track: ["first", "last"],
    position: place,
  }),
  accounts: stateTable({
    key: { address: bytes },
    columns: {
      sent: sum(int8),
      value_sent: sum(numeric),
      value_received: sum(numeric),
      gas: sum(int8),
      tokens: sum(int8),
    },
    sources: [
      { table: "calls", key: { address: "from_address" }, set: { sent: one, gas: "gas" } },
      {
        table: "calls",
        where: { status: { isNot: 0 } },
        key: { address: "from_address" },
        set: { value_sent: "value" },
        seen: false,
      },
      {
        table: "calls",
        where: { status: { isNot: 0 }, from_address: { isNot: null } },
        key: { address: "to_address" },
        set: { value_received: "value" },
        seen: false,
      },
      { table: "transfers", key: { address: "to_address" }, set: { tokens: one } },
      {
        table: "transfers",
        where: { operator: { is: null } },
        key: { address: "from_address" },
        seen: false,
      },
    ],
    track: ["first", "last"],
    position: ["block_height", "transaction_index"],
  }),
  days: stateTable({
    key: { day: date },
    columns: { calls: sum(int8), failed: sum(int8), transfers: sum(int8), value: sum(numeric) },
    sources: [
      { table: "calls", key: { day: { day: "timestamp" } }, set: { calls: one, value: "value" } },
      {
        table: "calls",
        where: { status: { is: 0 } },
        key: { day: { day: "timestamp" } },
        set: { failed: one },
      },
      { table: "transfers", key: { day: { day: "timestamp" } }, set: { transfers: one } },
    ],
  }),
  extremes: stateTable({
    key: { address: bytes },
    columns: {
      least: min(amount),
      most: max(amount),
      cheapest: min(int4),
      latest: max(timestamp),
      rows: sum(int8),
    },
    sources: [
      {
        table: "calls",
        key: { address: "from_address" },
        set: { least: "value", most: "value", cheapest: "gas", latest: "timestamp", rows: one },
      },
      {
        table: "transfers",
        where: { kind: { isNot: "mint" } },
        key: { address: "from_address" },
        set: { most: "amount", latest: "timestamp" },
        seen: false,
      },
    ],
    track: ["last"],
    position: ["block_height", "transaction_index"],
  }),
  // One scan serves all of them: a row may count for several, or for none, and be seen by one that does not count it.
  tallies: stateTable({
    key: { address: bytes },
    columns: { total: sum(numeric), plain: sum(int8), least: min(amount), most: max(amount) },
    sources: [
      {
        table: "transfers",
        where: { kind: { is: "mint" } },
        key: { address: "to_address" },
        set: { total: "amount", least: "amount", most: "amount" },
        seen: false,
      },
      {
        table: "transfers",
        where: { operator: { is: zeroAddress }, from_address: { isNot: zeroAddress } },
        key: { address: "to_address" },
        set: { total: { negate: "amount" }, most: "amount" },
      },
      {
        table: "transfers",
        where: { operator: { is: null } },
        key: { address: "to_address" },
        set: { plain: one, least: "amount" },
      },
    ],
    track: ["first", "last"],
    position: place,
  }),
  // Rows of one key and position, and nothing but where it was first seen.
  subjects: stateTable({
    key: { contract_address: bytes },
    columns: {},
    sources: [{ table: "transfers", key: { contract_address: "contract_address" } }],
    track: ["first"],
  }),
}

export const sampleWorker: WorkerDefinition = {
  name: "sample_worker",
  version: 1,
  tables: { ...sampleEvents, ...sampleStates },
  extract: () => undefined,
}
