import { describe, expect, test } from "vitest"
import { eventTopics } from "../indexes/evm-events/event-topics.js"
import { layersOf } from "./abi-layers.js"
import { decodeEvent } from "./decode-event.js"

const word = (value: number | bigint) => `0x${BigInt(value).toString(16).padStart(64, "0")}`
const budget = () => ({ values: 1_000, bytes: 10_000 })
const transfer = eventTopics["Transfer(address,address,uint256)"]
const stranger = layersOf({ own: [], any: [] })
const event = (name: string, inputs: readonly object[]) => ({ type: "event", name, inputs })
const uint = (name: string, indexed = false) => ({ name, type: "uint256", indexed })
const layers = (own: readonly object[], any: readonly object[] = []) =>
  layersOf({
    own: own.length > 0 ? [{ source: "given", name: "own", entries: own }] : [],
    any: any.length > 0 ? [{ source: "config", name: "any", entries: any }] : [],
  })

describe("an event", () => {
  test("is told apart from another of the same signature by its topics", () => {
    const topics = [transfer, word(1), word(2)]
    expect(decodeEvent({ topics, data: word(5) }, stranger, budget())).toEqual({
      ...{
        name: "Transfer",
        signature: "Transfer(address,address,uint256)",
        abi: { source: "standard", name: "ERC-20" },
      },
      args: [
        { name: "from", type: "address", value: `0x${"0".repeat(39)}1`, indexed: true },
        { name: "to", type: "address", value: `0x${"0".repeat(39)}2`, indexed: true },
        { name: "value", type: "uint256", value: "5", indexed: false },
      ],
    })
    const item = decodeEvent({ topics: [...topics, word(5)], data: "0x" }, stranger, budget())
    expect(item).toMatchObject({
      abi: { name: "ERC-721" },
      args: [{}, {}, { name: "tokenId", value: "5", indexed: true }],
    })
  })

  test.each<[string, readonly string[], string | null]>([
    ["no topics", [], "0x"],
    ["an unknown topic", [word(1)], "0x"],
    ["too few topics", [transfer, word(1)], word(5)],
    ["too many topics", [transfer, word(1), word(2), word(3), word(4)], word(5)],
    ["a dirty address", [transfer, `0x${"f".repeat(64)}`, word(2)], word(5)],
    ["a topic that is no word", [transfer, "0x01", word(2)], word(5)],
    ["too little data", [transfer, word(1), word(2)], "0x05"],
    ["data that is not known", [transfer, word(1), word(2)], null],
  ])("with %s is not decoded", (_name, topics, data) => {
    expect(decodeEvent({ topics, data }, stranger, budget())).toBeNull()
  })

  test("is decoded by the contract's own ABI first, then by one for any contract, then by a standard", () => {
    const named = (name: string) => [
      event("Transfer", [
        { name, type: "address", indexed: true },
        { name: "b", type: "address", indexed: true },
        uint("c"),
      ]),
    ]
    const log = { topics: [transfer, word(1), word(2)], data: word(5) }
    const both = decodeEvent(log, layers(named("mine"), named("common")), budget())
    expect(both).toMatchObject({ abi: { source: "given", name: "own" }, args: [{ name: "mine" }, {}, {}] })
    const common = decodeEvent(log, layers([], named("common")), budget())
    expect(common).toMatchObject({ abi: { source: "config", name: "any" }, args: [{ name: "common" }, {}, {}] })
    // Its own ABI does not fit.
    const other = decodeEvent(
      log,
      layers([event("Transfer", [uint("a", true), uint("b", true), uint("c")])]),
      budget(),
    )
    expect(other).toMatchObject({ abi: { source: "standard" } })
  })

  test("shows of what is indexed and longer than a word its hash", () => {
    const own = [event("Named", [{ name: "who", type: "string", indexed: true }, uint("age")])]
    const signature = [...layers(own).own.events.keys()][0]!
    expect(decodeEvent({ topics: [signature, word(99)], data: word(5) }, layers(own), budget())!.args).toEqual([
      { name: "who", type: "string", value: word(99), indexed: true, hashed: true },
      { name: "age", type: "uint256", value: "5", indexed: false },
    ])
  })

  test("of an ABI that was written past the check is not decoded by it", () => {
    const broken = layersOf({
      own: [{ source: "given", name: "a", entries: [{ type: "event", name: "<b>" }] }],
      any: [],
    })
    expect(decodeEvent({ topics: [word(1)], data: "0x" }, broken, budget())).toBeNull()
  })
})
