import { keccak256 } from "viem"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { startAnvil } from "../../../../../test/fixtures/evm/start-anvil.js"
import { createTestDatabase, type TestDatabase } from "../../../../../test/support/test-database.js"
import { testLedgers } from "../../../../../test/support/test-ledgers.js"
import { waitUntil } from "../../../../../test/support/wait-until.js"
import { makeContractBook } from "../../../../demo/contract-book.js"
import type { Hex } from "../../../../domain/linked-block.js"
import { systemClock } from "../../../../platform/clock.js"
import { IndexerError } from "../../../../platform/errors.js"
import { silentLogger } from "../../../../platform/logger.js"
import { systemRandom } from "../../../../platform/random.js"
import { Database } from "../../../../postgres/database.js"
import { EvmSource } from "../../source/evm-source.js"
import { forgetObserved } from "../forget-observed.js"
import type { ContractNode } from "../observing/ask-at-block.js"
import { ContractObserver } from "../observing/contract-observer.js"
import { codeQuestion } from "./code-question.js"

const deps = { clock: systemClock, random: systemRandom, logger: silentLogger }
const signal = new AbortController().signal
const deployer = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"

let test_: TestDatabase
let database: Database
let block: { height: number; hash: Hex }
/** What the node says of an address: its code, or something that is none. */
let codes: Map<string, unknown>
let asked: string[]

beforeEach(async () => {
  test_ = await createTestDatabase()
  database = new Database({ url: test_.url, applicationName: "test" })
  await database.query(
    `create table if not exists app.contract_deployments (block_height int8, transaction_index int4, event_index int4, address bytea)`,
  )
  await database.query(
    "create table if not exists app.smart_contracts (address bytea primary key, last_block_height int8)",
  )
  await database.query("insert into app.coverage (worker_type, heights) values ('meta_worker', '{[0,1001)}')")
  block = { height: 1000, hash: `0x${"ab".repeat(32)}` }
  codes = new Map()
  asked = []
})
afterEach(async () => {
  await database.end()
  await test_.drop()
})

const address = (n: number): Hex => `0x${n.toString(16).padStart(40, "c0de")}`

const node: ContractNode = {
  call: async (calls) =>
    calls.map(({ method, params }) => {
      if (method === "eth_getBlockByNumber") return { value: { hash: block.hash }, error: null }
      const said = codes.get(String(params[0])) ?? "0x"
      asked.push(String(params[0]))
      if (said === "breaks the batch") throw new IndexerError("RPC_RESPONSE_TOO_LARGE", "too large")
      if (said === "error") return { value: null, error: { code: -32000, message: "no" } }
      return { value: said, error: null }
    }),
}

const run = (options: { node?: ContractNode; observedBlock?: () => Promise<typeof block | undefined> } = {}) =>
  new ContractObserver({
    ...deps,
    database,
    ledger: testLedgers.app,
    jobs: testLedgers.jobs,
    question: codeQuestion(options.node ?? node),
    observedBlock: options.observedBlock ?? (async () => block),
    holder: "test",
    intervalMs: 1_000,
  }).runOnce(signal)

async function deployed(addresses: readonly Hex[], height = 10): Promise<void> {
  for (const at of addresses) {
    const bytes = Buffer.from(at.slice(2), "hex")
    await database.query("insert into app.contract_deployments values ($1, 0, 0, $2)", [height, bytes])
    await database.query(
      `insert into app.smart_contracts values ($2, $1)
       on conflict (address) do update set last_block_height = excluded.last_block_height`,
      [height, bytes],
    )
  }
}

async function found(): Promise<Record<string, string>> {
  const { rows } = await database.query<{ address: string; said: string }>(
    `select '0x' || encode(address, 'hex') as address,
       concat_ws(' ', status, '0x' || encode(code_hash, 'hex'), code_bytes, 'at ' || asked_at_height) as said
     from app.contract_code_hashes
     union all select subject, 'queued' from app.job_queue
      where decode(substr(subject, 3), 'hex') not in (select address from app.contract_code_hashes) order by 1`,
  )
  return Object.fromEntries(rows.map((row) => [row.address, row.said]))
}

describe("the code of contracts", () => {
  test("is what a node has at their addresses, whoever deployed them", async () => {
    const anvil = await startAnvil()
    const source = new EvmSource(deps, { providers: [{ url: anvil.url }] })
    try {
      const [data] = makeContractBook(deployer).deployments
      const hash = await anvil.rpc("eth_sendTransaction", { from: deployer, data, gas: "0x895440" })
      const { contractAddress } = await waitUntil(
        () => anvil.rpc("eth_getTransactionReceipt", hash) as Promise<{ contractAddress: Hex } | null>,
        { what: "the receipt of a deployment", everyMs: 5 },
      )
      await anvil.rpc("anvil_setCode", address(1), "0x5b600056")
      const head = await source.head({ signal })
      await deployed([contractAddress, address(1), address(2)], 0)
      await run({ node: source, observedBlock: async () => head as typeof block })
      const code = (await anvil.rpc("eth_getCode", contractAddress, "latest")) as `0x${string}`
      expect(await found()).toEqual({
        [contractAddress.toLowerCase()]: `answered ${keccak256(code)} ${code.length / 2 - 1} at ${head.height}`,
        [address(1)]: `answered ${keccak256("0x5b600056")} 4 at ${head.height}`,
        [address(2)]: `empty at ${head.height}`,
      })
      const { rows } = await database.query("select code_text from app.contract_code where code_hash = $1", [
        Buffer.from(keccak256(code).slice(2), "hex"),
      ])
      expect(rows).toEqual([{ code_text: code }])
    } finally {
      await source.close()
      await anvil.stop()
    }
  })

  test("is asked once, and kept once for all who have it", async () => {
    for (const n of [1, 2]) codes.set(address(n), "0x6001")
    await deployed([address(1), address(2)])
    await run()
    asked = []
    await run()
    expect(asked).toEqual([])
    const { rows } = await database.query("select code_text from app.contract_code")
    expect(rows).toEqual([{ code_text: "0x6001" }])
  })

  test("is known of all others when one breaks its batch, errs or says what is no code", async () => {
    codes.set(address(1), "breaks the batch")
    codes.set(address(2), "error")
    codes.set(address(3), "0x600")
    codes.set(address(4), { what: "is this" })
    codes.set(address(5), "0x6001")
    await deployed([1, 2, 3, 4, 5].map(address))
    await run()
    const hash = keccak256("0x6001")
    expect(await found()).toEqual({
      [address(1)]: "failed at 1000",
      [address(2)]: "failed at 1000",
      [address(3)]: "failed at 1000",
      [address(4)]: "failed at 1000",
      [address(5)]: `answered ${hash} 2 at 1000`,
    })
    asked = []
    await run()
    expect(asked).toEqual([])
  })

  test("costs nobody an attempt while the node is away, elsewhere or without state", async () => {
    await deployed([address(1)])
    const away: ContractNode = {
      call: async () => {
        throw new IndexerError("RPC_UNREACHABLE", "away")
      },
    }
    const elsewhere: ContractNode = {
      call: async (calls) => calls.map(() => ({ value: { hash: `0x${"cd".repeat(32)}` }, error: null })),
    }
    const forgetful: ContractNode = {
      call: async (calls) =>
        calls.map((_, i) =>
          i === 0
            ? { value: { hash: block.hash }, error: null }
            : { value: null, error: { code: -32000, message: "no" } },
        ),
    }
    for (const broken of [away, elsewhere, forgetful]) {
      await expect(run({ node: broken })).rejects.toThrow()
      expect(await found()).toEqual({ [address(1)]: "queued" })
    }
    const { rows } = await database.query("select attempts from app.job_queue")
    expect(rows).toEqual([{ attempts: 0 }])
  })

  test("is asked again after a rollback of the block it was asked at, and after a further deployment", async () => {
    codes.set(address(1), "0x6001")
    await deployed([address(1)])
    await run()
    await database.transaction((tx) => forgetObserved(testLedgers.jobs, tx, { removed: { from: 900, to: 2_000 } }))
    expect(await found()).toEqual({ [address(1)]: "queued" })
    codes.set(address(1), "0x6002")
    await run()
    expect(await found()).toEqual({ [address(1)]: `answered ${keccak256("0x6002")} 2 at 1000` })
    codes.set(address(1), "0x6003")
    await deployed([address(1)], 1_005)
    await database.query("update app.coverage set heights = '{[0,1011)}' where worker_type = 'meta_worker'")
    block = { ...block, height: 1_010 }
    await run()
    expect(await found()).toEqual({ [address(1)]: `answered ${keccak256("0x6003")} 2 at 1010` })
  })

  test("is not written when the chain was rolled back while it was asked", async () => {
    codes.set(address(1), "0x6001")
    await deployed([address(1)])
    const slow: ContractNode = {
      call: async (calls, options) => {
        await database.transaction((tx) => forgetObserved(testLedgers.jobs, tx, { removed: { from: 990, to: 2_000 } }))
        return node.call(calls, options)
      },
    }
    await run({ node: slow })
    expect(await found()).toEqual({ [address(1)]: "queued" })
  })

  test("is asked again when the contract was deployed again while it was asked", async () => {
    codes.set(address(1), "0x6001")
    await deployed([address(1)])
    let once = true
    const slow: ContractNode = {
      call: async (calls, options) => {
        if (once) {
          once = false
          await deployed([address(1)], 1_005)
          await database.query("update app.coverage set heights = '{[0,1011)}'")
          await run({ observedBlock: async () => undefined })
        }
        return node.call(calls, options)
      },
    }
    await run({ node: slow })
    expect(await found()).toEqual({ [address(1)]: "queued" })
    codes.set(address(1), "0x6002")
    block = { ...block, height: 1_010 }
    await run()
    expect(await found()).toEqual({ [address(1)]: `answered ${keccak256("0x6002")} 2 at 1010` })
  })

  test("of a contract that is none any more is forgotten", async () => {
    await deployed([address(1)])
    await run({ observedBlock: async () => undefined })
    await database.query("delete from app.smart_contracts")
    await run()
    expect(await found()).toEqual({})
  })
})
