import { encodeAbiParameters, encodeEventTopics, encodeFunctionData, parseAbi } from "viem"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import type { BlockRow } from "../../test/support/raw-rows.js"
import { type ServedStore, serveStore } from "../../test/support/served-store.js"

const adminToken = "the-admin-token-of-this-test"
const contract = (n: number): string => `0x${`c${n.toString(16)}`.repeat(20)}`
const token = contract(0)
const vault = contract(14)
const stranger = contract(15)
const person = `0x${"01".repeat(20)}` as const
const idOf = (n: number): string => n.toString(16).padStart(64, "9")

const standards = parseAbi(["function transfer(address to, uint256 value)", "function multicall(bytes[] data)"])
const vaultAbi = parseAbi([
  "function store(string name, (uint8 kind, bytes data)[] parts)",
  "event Stored(string indexed name, string text, uint256[] sizes)",
])
const configured = parseAbi(["function transfer(address to, uint256 value)", "event Sealed(uint256 indexed id)"])
const transfer = encodeFunctionData({ abi: standards, functionName: "transfer", args: [person, 7n] })
const store = encodeFunctionData({
  abi: vaultAbi,
  functionName: "store",
  args: ["a\u202eb<img>", [{ kind: 1, data: "0x1234" }]],
})

const inputs: readonly (readonly [to: string | null, input: string])[] = [
  [token, transfer],
  [stranger, transfer],
  [vault, store],
  [vault, transfer],
  [null, transfer],
  [stranger, "0x"],
  [stranger, "0xffffffff0011"],
  [token, transfer.slice(0, -2)],
  // A multicall of one text that is longer than there are bytes.
  [stranger, `0xac9650d8${[32, 1, 32, 2 ** 32 - 1].map((n) => n.toString(16).padStart(64, "0")).join("")}`],
  [
    stranger,
    encodeFunctionData({
      abi: standards,
      functionName: "multicall",
      args: [Array.from({ length: 11_000 }, () => "0x" as const)],
    }),
  ],
]
const eventTopic = "6ed29a0ed4d3d42eb5ab0ac3bb0e5e4b5cd0ab1d2e9f2a5cbcf7c0ecae3b5c0d"

const data = encodeAbiParameters([{ type: "string" }, { type: "uint256[]" }], ["text", [1n, 2n ** 255n]])
let served: ServedStore

beforeAll(async () => {
  const [stored] = encodeEventTopics({ abi: vaultAbi, eventName: "Stored", args: { name: "x" } }) as string[]
  const [sealed, id] = encodeEventTopics({ abi: configured, eventName: "Sealed", args: { id: 3n } }) as string[]
  const logs = [
    {
      address: vault.slice(2),
      topics: [stored!, `0x${eventTopic}`].map((topic) => topic.slice(2)),
      data: data.slice(2),
    },
    { address: vault.slice(2), topics: [stored!.slice(2)], data: data.slice(2) },
    { address: vault.slice(2), topics: [sealed!, id!].map((topic) => topic.slice(2)), data: "" },
  ]
  const columns = { type: 2, status: 1, from_address: `\\x${person.slice(2)}`, nonce: 1, value: 0 }
  const transactions = inputs.map(([to, input], index) => ({
    id: idOf(index),
    columns: { ...columns, to_address: to && `\\x${to.slice(2)}`, input: `\\x${input.slice(2)}` },
    logs: index === 2 ? logs : [],
  }))
  const blocks: readonly BlockRow[] = livelyBlocks({ seed: 3, from: 0, to: 20 }).map((block) =>
    block.height === 0 ? { ...block, transactions: [] } : block.height === 19 ? { ...block, transactions } : block,
  )
  served = await serveStore(blocks, {
    access: { adminToken, opsIsPublic: true, apiKeys: [], trustedProxies: [] },
    abis: [{ name: "Vault of the config", address: vault, abi: configured as readonly object[] }],
  })
  await served.store.raw.query("update raw.chain_state set head_height = 19, finalized_height = 19")
}, 60_000)
afterAll(() => served.close())

const get = async (path: string) => (await served.get(`/v1/test${path}`)).json.data
const decodedOf = async (index: number) => (await get(`/transactions/0x${idOf(index)}`)).decoded

async function act(method: "POST" | "DELETE", path: string, body?: unknown): Promise<number> {
  const { status } = await fetch(`${served.url}/admin/abis${path}`, {
    method,
    headers: { authorization: `Bearer ${adminToken}`, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return status
}

describe("a call", () => {
  test("of a token is one of its standard; of a stranger it is guessed", async () => {
    expect(await decodedOf(0)).toEqual({
      ...{ name: "transfer", signature: "transfer(address,uint256)" },
      args: [
        { name: "to", type: "address", value: person },
        { name: "value", type: "uint256", value: "7" },
      ],
      abi: { source: "standard", name: "ERC-20", guessed: false },
    })
    expect((await decodedOf(1)).abi).toEqual({ source: "standard", name: "ERC-20", guessed: true })
    expect((await decodedOf(3)).abi).toEqual({ source: "config", name: "Vault of the config", guessed: false })
  })

  test.each([
    [4, "what creates a contract"],
    [5, "nothing"],
    [6, "an unknown selector"],
    [7, "half an argument"],
    [8, "a length beyond its end"],
    [9, "more values than an answer has"],
  ])("nr. %i, of %s, is not decoded; its bytes are there", async (index) => {
    const transaction = await get(`/transactions/0x${idOf(index)}`)
    expect(transaction.decoded).toBeNull()
    expect(transaction.input).toBe(inputs[index]![1])
  })
})

test("an ABI that is given is used at once, and no more when it is removed; it comes before the config", async () => {
  expect(await decodedOf(2)).toBeNull()
  expect(await act("POST", "", { address: vault, name: "Vault", abi: vaultAbi })).toBe(200)
  expect(await decodedOf(2)).toEqual({
    ...{ name: "store", signature: "store(string,(uint8,bytes)[])" },
    args: [
      { name: "name", type: "string", value: "a\u202eb<img>" },
      {
        ...{ name: "parts", type: "(uint8,bytes)[]" },
        value: [
          [
            { name: "kind", type: "uint8", value: "1" },
            { name: "data", type: "bytes", value: "0x1234" },
          ],
        ],
      },
    ],
    abi: { source: "given", name: "Vault", guessed: false },
  })
  const another = configured.filter(({ name }) => name === "transfer")
  expect(await act("POST", "", { address: vault, name: "Another", abi: another })).toBe(200)
  expect((await decodedOf(3)).abi).toEqual({ source: "given", name: "Another", guessed: false })
  expect(await act("DELETE", `/${vault}/Another`)).toBe(200)
  expect((await decodedOf(3)).abi.source).toBe("config")
})

test("an ABI that another process was given is used within moments", async () => {
  await decodedOf(1)
  await served.store.app.query("insert into app.abis (address, name, abi, created_by) values (null, 'any', $1, 'x')", [
    JSON.stringify(standards),
  ])
  await expect
    .poll(async () => (await decodedOf(1)).abi, { timeout: 10_000 })
    .toEqual({ source: "given", name: "any", guessed: true })
  await served.store.app.query("delete from app.abis where name = 'any'")
  await expect.poll(async () => (await decodedOf(1)).abi.name, { timeout: 10_000 }).toBe("ERC-20")
})

describe("events", () => {
  const events = `/transactions/0x${idOf(2)}/events`

  test("are decoded with the ABI of their contract; those that do not fit are not", async () => {
    const [first, second, third] = await get(events)
    expect(first.decoded).toEqual({
      ...{ name: "Stored", signature: "Stored(string,string,uint256[])", abi: { source: "given", name: "Vault" } },
      args: [
        { name: "name", type: "string", value: `0x${eventTopic}`, indexed: true, hashed: true },
        { name: "text", type: "string", value: "text", indexed: false },
        { name: "sizes", type: "uint256[]", value: ["1", String(2n ** 255n)], indexed: false },
      ],
    })
    expect([second.decoded, second.data]).toEqual([null, data])
    expect(third.decoded).toMatchObject({ name: "Sealed", abi: { source: "config" }, args: [{ value: "3" }] })
  })

  test("are decoded in every list, as the same", async () => {
    const all = await served.walk("/v1/test/events", 100)
    const known = all.filter(({ decoded }) => decoded !== null) as unknown as { decoded: { abi: object } }[]
    const names = new Set(known.map(({ decoded }) => JSON.stringify(decoded.abi)))
    for (const name of ["ERC-20", "ERC-721", "ERC-1155", "WETH", "Uniswap V2"])
      expect(names).toContain(JSON.stringify({ source: "standard", name }))
    expect(all.some(({ decoded }) => decoded === null)).toBe(true)
    const own = await served.walk(`/v1/test/accounts/${vault}/events`)
    expect(own).toEqual(all.filter(({ address }) => address === vault))
    expect(await get(events)).toEqual([...own].reverse())
    const csv = await served.get("/v1/test/events?format=csv")
    expect(csv.text.split("\n")[0]).not.toContain("decoded")
  })

  test("of an answer cost no statement of their own", async () => {
    let reads = 0
    const { chain } = served
    const counted = chain.readPrepared.bind(chain)
    chain.readPrepared = (store, work) => {
      reads++
      return counted(store, work)
    }
    await get("/events?limit=200")
    reads = 0
    await get("/events?limit=200")
    // The page, and once a second whether there are other ABIs or another head.
    expect(reads).toBeLessThanOrEqual(3)
    chain.readPrepared = counted
  })
})

test("what is decoded may be kept, but is asked about each time, since more may be known later", async () => {
  const path = `/v1/test/transactions/0x${idOf(0)}`
  const { headers } = await served.get(path)
  expect(headers.get("cache-control")).toBe("public, no-cache")
  const again = { "if-none-match": headers.get("etag")! }
  expect((await served.get(path, again)).status).toBe(304)
  await act("POST", "", { address: token, name: "Token", abi: standards })
  expect((await served.get(path, again)).status).toBe(200)
  await act("DELETE", `/${token}/Token`)
})

test("in the format of Etherscan too: getabi, and functionName with the names of its parameters", async () => {
  const ask = async (query: string) => (await served.get(`/api?module=${query}`)).json
  const { status, message, result } = await ask(`contract&action=getabi&address=${vault}`)
  expect([status, message]).toEqual(["1", "OK"])
  expect(JSON.parse(result).map(({ name }: { name: string }) => name)).toEqual([
    "store",
    "Stored",
    "transfer",
    "Sealed",
  ])
  expect(await ask(`contract&action=getabi&address=${stranger}`)).toEqual({
    ...{ status: "0", message: "NOTOK", result: "Contract source code not verified" },
  })
  const rows = (await ask(`account&action=txlist&address=${person}&startblock=19`)).result as Record<string, string>[]
  const names = new Map(rows.map(({ hash, methodId, functionName }) => [hash, [methodId, functionName]]))
  const nameOf = (index: number) => names.get(`0x${idOf(index)}`)
  expect(nameOf(0)).toEqual(["0xa9059cbb", "transfer(address to, uint256 value)"])
  expect(nameOf(2)).toEqual([store.slice(0, 10), "store(string name, (uint8,bytes)[] parts)"])
  expect(nameOf(5)).toEqual(["0x", ""])
  expect(nameOf(6)).toEqual(["0xffffffff", ""])
})

test("too many ABIs of one contract, or entries for any, are refused: all of them are read", async () => {
  const abi = [{ type: "function", name: "f", inputs: [] }]
  await served.store.app.query(
    `insert into app.abis (address, name, abi, created_by)
     select decode($1, 'hex'), 'nr ' || n, $2, 'x' from generate_series(1, 32) as n`,
    ["ee".repeat(20), JSON.stringify(abi)],
  )
  expect(await act("POST", "", { address: `0x${"ee".repeat(20)}`, name: "more", abi })).toBe(400)
  expect(await act("POST", "", { address: `0x${"ee".repeat(20)}`, name: "nr 7", abi })).toBe(200)
  await served.store.app.query("delete from app.abis where name like 'nr %'")
})
