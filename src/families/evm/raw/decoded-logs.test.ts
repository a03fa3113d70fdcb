import { encodeAbiParameters, encodeEventTopics, parseAbi } from "viem"
import { describe, expect, expectTypeOf, test } from "vitest"
import {
  amount,
  bytes,
  decodedLogs,
  defineWorker,
  eventTable,
  int4,
  int8,
  nullable,
  stateTable,
  sum,
} from "../../../config.js"
import type { Hex } from "../../../domain/linked-block.js"
import { EncodedField } from "../../../workers/encoded-field.js"
import type { EventView } from "./block-view.js"

const abi = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "event Named(string name)",
  "event Named(string name, uint8 age)",
  "event Nothing()",
])
const [alice, bob, token] = [1, 2, 3].map((n) => `0x${n.toString(16).padStart(40, "0")}` as const)

const log = (topics: readonly Hex[], data: Hex | null, address: Hex | null = token!): EventView => ({
  transactionIndex: 0,
  index: 0,
  transactionId: "0x01",
  address,
  topics,
  data,
  extra: null,
  field: () => new EncodedField(new Uint8Array()),
})
const transferTopics = encodeEventTopics({
  abi,
  eventName: "Transfer",
  args: { from: alice!, to: bob! },
}) as Hex[]
const value = encodeAbiParameters([{ type: "uint256" }], [5n])

describe("decoded logs", () => {
  const transfers = (events: readonly EventView[], address?: Hex | Hex[]) => [
    ...decodedLogs({ events }, { abi, eventName: "Transfer", ...(address ? { address } : {}) }),
  ]

  test("have the arguments of the event and the log they come from, in order", () => {
    const events = [log(transferTopics, value), log([], "0x"), log(transferTopics, value, alice)]
    const found = transfers(events)
    expect(found.map(({ event }) => event)).toEqual([events[0], events[2]])
    expect(found[0]!.args).toEqual({ from: alice, to: bob, value: 5n })
  })

  test("leave out what does not decode: other events, topics that differ in number, data too short or absent", () => {
    const [selector, from] = transferTopics
    const nothing = encodeEventTopics({ abi, eventName: "Nothing" }) as Hex[]
    const bad = [
      log(nothing, "0x"),
      log([selector!, from!], value),
      log([selector!], value),
      log(transferTopics, "0x"),
      log(transferTopics, null),
      log(transferTopics, "0x05"),
    ]
    expect(transfers(bad)).toEqual([])
  })

  test("can be those of one contract or of several, in any case of letters", () => {
    const contract = `0x${"ab".repeat(20)}`
    const events = [log(transferTopics, value, contract), log(transferTopics, value), log(transferTopics, value, null)]
    expect(transfers(events, `0x${"AB".repeat(20)}`)).toHaveLength(1)
    expect(transfers(events, [contract, token!])).toHaveLength(2)
  })

  test("know every form of an overloaded event, and events without arguments", () => {
    const named = abi.filter((item) => item.name === "Named")
    const events = [
      log(encodeEventTopics({ abi: [named[0]!] }) as Hex[], encodeAbiParameters([{ type: "string" }], ["a"])),
      log(
        encodeEventTopics({ abi: [named[1]!] }) as Hex[],
        encodeAbiParameters([{ type: "string" }, { type: "uint8" }], ["b", 4]),
      ),
      log(encodeEventTopics({ abi, eventName: "Nothing" }) as Hex[], null),
    ]
    expect([...decodedLogs({ events }, { abi, eventName: "Named" })].map(({ args }) => args)).toEqual([
      { name: "a" },
      { name: "b", age: 4 },
    ])
    expect([...decodedLogs({ events }, { abi, eventName: "Nothing" })]).toHaveLength(1)
  })
})

// Checked by the compiler: what is marked as an error has to be one.
test("arguments are typed from the ABI, and emit from the tables", () => {
  const worker = defineWorker({
    name: "typed",
    version: 1,
    tables: {
      rows: eventTable({
        columns: { block_height: int8, event_index: int4, from: bytes, to: nullable(bytes), value: amount },
        key: ["block_height", "event_index"],
        indexes: [["from"]],
      }),
      totals: stateTable({
        key: { from: bytes },
        columns: { count: sum(int8) },
        sources: [{ table: "rows", key: { from: "from" }, set: { count: { literal: 1 } } }],
      }),
    },
    extract: ({ block, emit }) => {
      for (const { event, args } of decodedLogs(block, { abi, eventName: "Transfer" })) {
        expectTypeOf(args).toEqualTypeOf<{ from: `0x${string}`; to: `0x${string}`; value: bigint }>()
        const row = {
          block_height: block.height,
          event_index: event.index,
          from: args.from,
          value: args.value,
        }
        emit.rows({ ...row, to: null })
        emit.rows({ ...row, to: event.field("topic1") })
        // @ts-expect-error: a column is missing
        emit.rows(row)
        // @ts-expect-error: not nullable
        emit.rows({ ...row, to: null, value: null })
        // @ts-expect-error: an amount is no number
        emit.rows({ ...row, to: null, value: 5 })
        // @ts-expect-error: no such column
        emit.rows({ ...row, to: null, whom: args.to })
        // @ts-expect-error: a state table gets its rows from its fold
        emit.totals({})
        // @ts-expect-error: no such argument
        void args.amount
      }
      // @ts-expect-error: no such event
      void decodedLogs(block, { abi, eventName: "Approval" })
    },
  })
  expect(worker.name).toBe("typed")
  // @ts-expect-error: a key of columns that are not there
  eventTable({ columns: { block_height: int8 }, key: ["block_height", "index"] })
})
