import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { DeriveStore } from "../../../test/support/derive-store.js"
import { livelyBlocks } from "../../../test/support/lively-blocks.js"
import type { BlockRow } from "../../../test/support/raw-rows.js"
import { type ServedStore, serveStore } from "../../../test/support/served-store.js"

const longInput = "ab".repeat(9_000)
const longData = "cd".repeat(9_001)

/** Block 0 has no transactions, as on every chain; one transaction has more than the derived tables keep. */
const blocks: readonly BlockRow[] = livelyBlocks({ seed: 7, from: 0, to: 60 }).map((block) => {
  if (block.height === 0) return { ...block, transactions: [] }
  if (block.height !== 31) return block
  const columns = { status: 1, from_address: `\\x${"01".repeat(20)}`, to_address: `\\x${"02".repeat(20)}`, nonce: 1 }
  const logs = [{ address: "c0".repeat(20), topics: ["ab".repeat(32)], data: longData }]
  return { ...block, transactions: [{ id: "31".repeat(32), columns: { ...columns, input: `\\x${longInput}` }, logs }] }
})
let served: ServedStore
let store: DeriveStore

beforeAll(async () => {
  served = await serveStore(blocks, {
    twoDatabases: true,
    node: {
      call: async (method) =>
        method === "eth_estimateGas"
          ? { refusal: { code: 3, message: "execution reverted", data: "0x08c379a0" } }
          : { value: "0x1bc16d674ec80000" },
      close: async () => undefined,
    },
    etherscan: {
      nodeMethods: ["eth_getBalance", "eth_call", "eth_estimateGas", "eth_sendRawTransaction"],
      nodeRequestsPerMinute: 6,
    },
  })
  store = served.store
  await store.raw.query("update raw.chain_state set head_height = 59, finalized_height = 40")
}, 60_000)
afterAll(() => served.close())

const person = (n: number): string => `0x${n.toString(16).padStart(2, "0").repeat(20)}`
const contract = (n: number): string => `0x${`c${n.toString(16)}`.repeat(20)}`
const bytes = (hex: string): Buffer => Buffer.from(hex.slice(2), "hex")
const hex = (value: Buffer): string => `0x${value.toString("hex")}`

interface Answer {
  readonly status: string
  readonly message: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever the action answers.
  readonly result: any
}
async function ask(query: string): Promise<Answer> {
  const { status, json } = await served.get(`/api?${query}`)
  expect(status).toBe(200)
  return json
}
const refused = async (query: string): Promise<string> => {
  const { status, message, result } = await ask(query)
  expect([status, message]).toEqual(["0", "NOTOK"])
  return result
}
/** All pages of seven. */
async function walk(query: string): Promise<Record<string, string>[]> {
  const rows: Record<string, string>[] = []
  for (let page = 1; ; page++) {
    const { message, result } = await ask(`${query}&page=${page}&offset=7`)
    rows.push(...result)
    if (result.length < 7) {
      expect(message).toMatch(result.length > 0 ? /^OK$/ : /^No (transactions|records) found$/)
      return rows
    }
  }
}

describe("lists", () => {
  test("of transactions have those from and to an address and its creation once, in chain order", async () => {
    const { rows } = await store.app.query<{ address: Buffer }>(
      "select distinct address from app.address_transactions where role in ('from', 'to', 'created')",
    )
    for (const { address } of rows) {
      const { rows: expected } = await store.app.query<{ id: Buffer }>(
        `select transaction_id as id from app.evm_transactions where from_address = $1 or to_address = $1
           or (contract_address = $1 and status = 1) order by block_height, transaction_index`,
        [address],
      )
      const ids = expected.map(({ id }) => hex(id))
      const query = `module=account&action=txlist&address=${hex(address)}`
      expect((await walk(query)).map(({ hash }) => hash)).toEqual(ids)
      const down = await ask(`${query}&sort=desc&offset=5`)
      expect(down.result.map(({ hash }: { hash: string }) => hash)).toEqual(ids.reverse().slice(0, 5))
    }
  })

  test.each(["tokentx", "tokennfttx", "token1155tx"])(
    "%s has the transfers of either side, of a contract, or of both",
    async (action) => {
      const table = action === "tokentx" ? "app.ft_transfers" : "app.nft_transfers"
      const standard = { tokentx: "true", tokennfttx: "standard = 'erc721'", token1155tx: "standard = 'erc1155'" }[
        action
      ]
      const count = async (where: string, values: readonly Buffer[]): Promise<number> => {
        const sql = `select count(*)::int4 as count from ${table} where ${standard} and ${where}`
        return (await store.app.query<{ count: number }>(sql, values)).rows[0]!.count
      }
      const [own, some] = [
        bytes(person(1)),
        bytes(contract(action === "tokentx" ? 0 : action === "tokennfttx" ? 4 : 5)),
      ]
      const side = "(from_address = $1 or to_address = $1)"
      const of = `module=account&action=${action}`
      const both = await walk(`${of}&address=${person(1)}&contractaddress=${hex(some)}`)
      expect(both).toHaveLength(await count(`${side} and contract_address = $2`, [own, some]))
      expect(await walk(`${of}&address=${person(1)}`)).toHaveLength(await count(side, [own]))
      expect(await walk(`${of}&contractaddress=${hex(some)}`)).toHaveLength(
        await count("contract_address = $1", [some]),
      )
      expect(both.length).toBeGreaterThan(0)
      for (const { from, to, contractAddress } of both) {
        expect([from, to]).toContain(person(1))
        expect(contractAddress).toBe(hex(some))
      }
    },
  )

  test("of logs take a contract and topics, and are hex", async () => {
    const topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
    const all = await walk(`module=logs&action=getLogs&address=${contract(0)}`)
    const transfers = await walk(`module=logs&action=getLogs&address=${contract(0)}&topic0=${topic}`)
    expect(transfers).toEqual(all.filter(({ topics }) => topics![0] === topic))
    expect(transfers.length).toBeGreaterThan(0)
    expect(transfers.length).toBeLessThan(all.length)
    const from = `0x${person(1).slice(2).padStart(64, "0")}`
    const either = await walk(
      `module=logs&action=getLogs&address=${contract(0)}&topic1=${from}&topic2=${from}&topic1_2_opr=or`,
    )
    expect(either).toEqual(all.filter(({ topics }) => topics![1] === from || topics![2] === from))
    for (const { blockNumber, timeStamp, logIndex } of all)
      for (const number of [blockNumber, timeStamp, logIndex]) expect(number).toMatch(/^0x(0|[1-9a-f][0-9a-f]*)$/)
    expect(await walk("module=logs&action=getLogs&fromBlock=10&toBlock=20")).toHaveLength(
      blocks.slice(10, 21).flatMap(({ transactions }) => transactions.flatMap(({ logs }) => logs)).length,
    )
  })

  test("have inputs and data whole, also those that the derived tables leave out", async () => {
    const { result } = await ask(`module=account&action=txlist&address=${person(1)}&startblock=31&endblock=31`)
    expect(result[0].input).toBe(`0x${longInput}`)
    const logs = await ask(`module=logs&action=getLogs&address=${contract(0)}&fromBlock=31&toBlock=31`)
    expect(logs.result[0].data).toBe(`0x${longData}`)
  })

  test("that are empty say so in the words that clients match", async () => {
    const nobody = person(0xee)
    const empty = { status: "0", result: [] }
    for (const action of ["txlist", "tokentx", "tokennfttx", "token1155tx"])
      expect(await ask(`module=account&action=${action}&address=${nobody}`)).toEqual({
        ...empty,
        message: "No transactions found",
      })
    expect(await ask(`module=logs&action=getLogs&address=${nobody}`)).toEqual({
      ...empty,
      message: "No records found",
    })
    expect(await ask(`module=contract&action=getcontractcreation&contractaddresses=${nobody}`)).toEqual({
      ...{ status: "0", message: "No data found", result: null },
    })
  })

  test("take page 0 as page 1, and a start in any spelling", async () => {
    const query = `module=account&action=txlist&address=${person(1)}`
    const plain = await ask(`${query}&startblock=20&endblock=30`)
    expect(plain.result.length).toBeGreaterThan(0)
    for (const { blockNumber } of plain.result) expect(Number(blockNumber)).toBeGreaterThanOrEqual(20)
    for (const spelled of [
      "startBlock=20&endBlock=30",
      "start_block=20&end_block=30",
      "startblock=20&endblock=30&page=0&offset=10000",
    ])
      expect(await ask(`${query}&${spelled}`)).toEqual(plain)
    expect((await ask(`${query}&endBlock=99999999&page=0&offset=10000`)).message).toBe("OK")
  })

  test("end at a window of 10,000, in the words on which clients split", async () => {
    const text = "Result window is too large, PageNo x Offset size must be less than or equal to 10000"
    const query = `module=account&action=txlist&address=${person(1)}`
    expect(await refused(`${query}&page=2&offset=10000`)).toBe(text)
    expect((await ask(`${query}&page=2&offset=5000`)).message).toBe("No transactions found")
  })
})

describe("single values", () => {
  test("balances, holders and supply are those of the derived tables", async () => {
    const { rows } = await store.app.query<{ address: Buffer; balance: string }>(
      "select address, balance from app.ft_holdings where contract_address = $1 and balance > 0 order by balance desc, address desc",
      [bytes(contract(6))],
    )
    const holders = await ask(`module=token&action=tokenholderlist&contractaddress=${contract(6)}`)
    expect(holders.result).toEqual(
      rows.map(({ address, balance }) => ({ TokenHolderAddress: hex(address), TokenHolderQuantity: balance })),
    )
    const [first] = rows
    const query = `module=account&action=tokenbalance&contractaddress=${contract(6)}`
    expect((await ask(`${query}&address=${hex(first!.address)}&tag=latest`)).result).toBe(first!.balance)
    expect((await ask(`${query}&address=${person(0xee)}`)).result).toBe("0")
    const { rows: tokens } = await store.app.query<{ token: Buffer; supply: string }>(
      "select contract_address as token, (minted - burned)::text as supply from app.ft_tokens",
    )
    const expected = tokens.map(({ supply }) => (supply.startsWith("-") ? expect.stringContaining("Error!") : supply))
    const answers = tokens.map(({ token }) => ask(`module=stats&action=tokensupply&contractaddress=${hex(token)}`))
    expect((await Promise.all(answers)).map(({ result }) => result)).toEqual(expected)
  })

  test("a balance below 0 is refused: no client could use it", async () => {
    const { rows } = await store.app.query<{ address: Buffer; token: Buffer }>(
      "select address, contract_address as token from app.ft_holdings where balance < 0 limit 1",
    )
    const { address, token } = rows[0]!
    const query = `module=account&action=tokenbalance&address=${hex(address)}&contractaddress=${hex(token)}`
    expect(await refused(query)).toContain("do not add up")
  })

  test("the status of a transaction, of one that failed, and of one that is not stored", async () => {
    const all = blocks.flatMap(({ transactions }) => transactions)
    for (const status of [0, 1]) {
      const { id } = all.find(({ columns }) => columns["status"] === status)!
      const one = await ask(`module=transaction&action=getstatus&txhash=0x${id}`)
      expect(one.result).toEqual({ isError: status === 1 ? "0" : "1", errDescription: "" })
      const receipt = await ask(`module=transaction&action=gettxreceiptstatus&txhash=0x${id}`)
      expect(receipt.result).toEqual({ status: String(status) })
    }
    const unknown = `0x${"ee".repeat(32)}`
    expect(await refused(`module=transaction&action=getstatus&txhash=${unknown}`)).toContain("no such transaction")
  })

  test("blocks by time, on both sides of it", async () => {
    const at = Date.parse(blocks[20]!.timestamp) / 1_000
    const block = async (time: number, closest: string) =>
      (await ask(`module=block&action=getblocknobytime&timestamp=${time}&closest=${closest}`)).result
    expect([await block(at, "before"), await block(at, "after")]).toEqual(["20", "20"])
    expect([await block(at + 1, "before"), await block(at + 1, "after")]).toEqual(["20", "21"])
    const early = `module=block&action=getblocknobytime&timestamp=1&closest=before`
    expect(await refused(early)).toBe("Error! No closest block found")
    expect((await ask("module=block&action=getblockcountdown&blockno=69")).result).toEqual({
      ...{ CurrentBlock: "59", CountdownBlock: "69", RemainingBlock: "10", EstimateTimeInSec: "72000.0" },
    })
  })

  test("who made a contract: the sender, and the factory where there was one", async () => {
    const { rows } = await store.app.query<{ address: Buffer; id: Buffer; sender: Buffer; factory: Buffer | null }>(
      `select distinct on (d.address) d.address, d.transaction_id as id, t.from_address as sender,
         case when d.method = 'factory' then d.deployer end as factory
       from app.contract_deployments d join app.evm_transactions t using (block_height, transaction_index)
       order by d.address, d.block_height desc, d.transaction_index desc, d.event_index desc limit 5`,
    )
    const { result } = await ask(
      `module=contract&action=getcontractcreation&contractaddresses=${rows.map(({ address }) => hex(address))}`,
    )
    expect(result).toMatchObject(
      rows.map(({ address, id, sender, factory }) => ({
        ...{ contractAddress: hex(address), txHash: hex(id), contractCreator: hex(sender) },
        contractFactory: factory ? hex(factory) : "",
      })),
    )
    expect(await refused(`module=contract&action=getabi&address=${contract(0)}`)).toBe(
      "Contract source code not verified",
    )
  })

  test("sums by day", async () => {
    const { result } = await ask("module=stats&action=dailytx&startdate=2024-02-28&enddate=2024-02-29&sort=desc")
    const on = (day: string): number =>
      blocks.filter(({ timestamp }) => timestamp.startsWith(day)).flatMap(({ transactions }) => transactions).length
    expect(result).toEqual([
      { UTCDate: "2024-02-29", unixTimeStamp: "1709164800", transactionCount: on("2024-02-29") },
      { UTCDate: "2024-02-28", unixTimeStamp: "1709078400", transactionCount: on("2024-02-28") },
    ])
    const fees = await ask("module=stats&action=dailytxnfee&startdate=2024-02-28&enddate=2024-02-28")
    expect(fees.result[0].transactionFee_Eth).toMatch(/^0\.\d{18}$/)
    expect(await refused("module=stats&action=dailytx&startdate=2024-02-31&enddate=2024-03-01")).toContain(
      "Invalid startdate",
    )
  })
})

describe("what is not complete", () => {
  const query = `module=account&action=txlist&address=${person(1)}`

  async function withHeights(heights: string, check: () => Promise<void>): Promise<void> {
    await store.app.query("update app.coverage set heights = $1 where worker_type = 'evm_worker'", [heights])
    try {
      await check()
    } finally {
      await store.app.query("update app.coverage set heights = '{[0,60)}' where worker_type = 'evm_worker'")
    }
  }

  test("is refused, unless the client takes it; headers say what is missing", async () => {
    await withHeights("{[0,20),[30,60)}", async () => {
      expect(await refused(query)).toContain("blocks 20 to 29 are not indexed")
      expect(await refused(`module=logs&action=getLogs&address=${contract(0)}`)).toContain("blocks 20 to 29")
      expect((await ask(`${query}&startblock=30`)).message).toBe("OK")
      expect((await ask(`${query}&endblock=19`)).message).toBe("OK")
      const { json, headers } = await served.get(`/api?${query}&partial=true`)
      expect(json.message).toBe("OK")
      for (const { blockNumber } of json.result)
        expect([...Array(10).keys()].map((at) => at + 20)).not.toContain(Number(blockNumber))
      expect(headers.get("x-tidemark-partial")).toBe("true")
      expect(headers.get("x-tidemark-gaps")).toBe("20-29")
      expect(headers.get("x-tidemark-watermark")).toBe("19")
    })
    const { headers } = await served.get(`/api?${query}`)
    expect([headers.get("x-tidemark-watermark"), headers.get("x-tidemark-partial")]).toEqual(["59", "false"])
  })

  test("at the head is answered as of the newest block, but not to a client that names a block above it", async () => {
    await withHeights("{[0,55)}", async () => {
      const { json, headers } = await served.get(`/api?${query}&endblock=99999999`)
      expect(json.message).toBe("OK")
      expect(headers.get("x-tidemark-watermark")).toBe("54")
      expect(await refused(`${query}&startblock=50&endblock=57`)).toContain("blocks 55 to 57")
    })
    await withHeights("{[0,40)}", async () => {
      // Further behind than READY_LAG_BLOCKS.
      expect(await refused(query)).toContain("blocks 40 to 59")
    })
  })

  test("below the start of the store is not hidden either", async () => {
    await store.app.query("update app.chain_state set start_height = 10")
    await withHeights("{[10,60)}", async () => {
      expect(await refused(query)).toContain("blocks 1 to 9 are not indexed")
      expect((await ask(`${query}&startblock=10`)).message).toBe("OK")
    })
    await store.app.query("update app.chain_state set start_height = 0")
  })

  test("while a rollback is not finished in both databases is refused", async () => {
    await store.raw.query("update raw.chain_state set chain_epoch = 1")
    const reason = refused(query)
    expect(await reason).toContain("a rollback is being finished")
    await store.raw.query("update raw.chain_state set chain_epoch = 0")
  })

  test("needs traces or sources: an error, never an empty list", async () => {
    for (const known of [
      "account&action=txlistinternal",
      "account&action=getminedblocks",
      "contract&action=verifysourcecode",
    ])
      expect(await refused(`module=${known}&address=${person(1)}`)).toContain("is not answered here")
    expect(await refused("module=account&action=nonsense")).toBe("Error! Missing Or invalid Action name")
    expect(await refused("module=nonsense&action=txlist")).toBe("Error! Missing Or invalid Module name")
    expect(await refused("")).toBe("Error! Missing Or invalid Module name")
    expect(await refused("module=account&action=txlist&address=0x12")).toBe("Error! Invalid address format")
  })
})

describe("the chain", () => {
  test("is named by its id, by its name, or is the only one", async () => {
    const query = "module=block&action=getblockcountdown&blockno=69"
    for (const path of [
      `/api?${query}`,
      `/api?chain=test&${query}`,
      `/api?chainid=1337&${query}`,
      `/v2/api?chainid=1337&${query}`,
    ])
      expect((await served.get(path)).json.message, path).toBe("OK")
    for (const path of [`/v2/api?${query}`, `/v2/api?chainid=1&${query}`, `/api?chain=other&${query}`])
      expect((await served.get(path)).json.result, path).toBe(
        "Error! Missing or unsupported chainid parameter: this server has test (1337)",
      )
  })
})

describe("the node", () => {
  test("is asked only what the operator allows, and only so often", async () => {
    const balance = await ask(`module=account&action=balance&address=${person(1)}&tag=latest`)
    expect(balance).toEqual({ status: "1", message: "OK", result: "2000000000000000000" })
    const multi = await ask(`module=account&action=balancemulti&address=${person(1)},${person(2)}`)
    expect(multi.result).toEqual([1, 2].map((n) => ({ account: person(n), balance: "2000000000000000000" })))
    const { json } = await served.get("/api?module=proxy&action=eth_gasPrice")
    expect(json.error.message).toContain("eth_gasPrice is not among the API_NODE_METHODS")
    const post = await fetch(`${served.url}/api`, {
      method: "POST",
      body: new URLSearchParams({ module: "proxy", action: "eth_sendRawTransaction", hex: "0x02f8" }),
    })
    expect(await post.json()).toEqual({ jsonrpc: "2.0", id: 1, result: "0x1bc16d674ec80000" })
    const reverted = await served.get(`/api?module=proxy&action=eth_estimateGas&to=${contract(0)}&data=0x`)
    expect(reverted.json.error).toEqual({ code: 3, message: "execution reverted", data: "0x08c379a0" })
    const answers = []
    for (let i = 0; i < 3; i++) answers.push(await ask(`module=account&action=balance&address=${person(1)}`))
    expect(answers.at(-1)).toEqual({
      ...{ status: "0", message: "NOTOK", result: "Max rate limit reached, 6 node calls a minute" },
    })
  })
})

test("a body of another kind, or one that is too large, is refused in the same format", async () => {
  for (const body of ["x".repeat(300_000), "<xml>"]) {
    const response = await fetch(`${served.url}/api`, {
      method: "POST",
      body,
      headers: { "content-type": "text/xml" },
    })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ status: "0", message: "NOTOK" })
  }
})
