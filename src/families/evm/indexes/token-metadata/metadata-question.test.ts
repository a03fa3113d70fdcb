import { afterEach, beforeEach, describe, expect, test } from "vitest"
import {
  abiNumber,
  abiText,
  type ContractServer,
  startContractServer,
  token,
} from "../../../../../test/fixtures/evm/contract-server.js"
import { createTestDatabase, type TestDatabase } from "../../../../../test/support/test-database.js"
import { testLedgers } from "../../../../../test/support/test-ledgers.js"
import { type Clock, systemClock } from "../../../../platform/clock.js"
import { silentLogger } from "../../../../platform/logger.js"
import { systemRandom } from "../../../../platform/random.js"
import { Database } from "../../../../postgres/database.js"
import { EvmSource } from "../../source/evm-source.js"
import { forgetObserved } from "../forget-observed.js"
import type { ObservedBlock } from "../observing/ask-at-block.js"
import { ContractObserver, type ContractObserverOptions } from "../observing/contract-observer.js"
import type { MetadataOutcome } from "./contract-inquirer.js"
import { metadataQuestion } from "./metadata-question.js"

const deps = { clock: systemClock, random: systemRandom, logger: silentLogger }
const signal = new AbortController().signal
/**
 * Of a request. How long one takes is up to the machine: none runs out of its time but what hangs, and that at once.
 */
const timeoutMs = 60_000
let giveUp = (): void => undefined
const clock: Clock = {
  ...systemClock,
  sleep: (ms, until) =>
    ms < timeoutMs
      ? systemClock.sleep(ms, until)
      : new Promise((resolve) => {
          giveUp = resolve
          until?.addEventListener("abort", () => resolve(), { once: true })
        }),
}

let test_: TestDatabase
let database: Database
let node: ContractServer
let source: EvmSource

beforeEach(async () => {
  test_ = await createTestDatabase()
  database = new Database({ url: test_.url, applicationName: "test" })
  await database.query(
    `create table if not exists app.metadata_subjects (contract_address bytea primary key, ft_transfers int8, nft_transfers int8,
       event_rows int8, first_block_height int8, first_transaction_index int4, first_event_index int4)`,
  )
  await database.query("create index on app.metadata_subjects (first_block_height)")
  await database.query(
    "insert into app.coverage (worker_type, heights) values ('token_metadata_worker', '{[0,1001)}')",
  )
  node = await startContractServer()
  node.onHang = () => giveUp()
  source = new EvmSource(
    { ...deps, clock },
    {
      providers: [{ url: node.url }],
      timeoutMs,
      backoffMs: 1,
      maxResponseBytes: 1 << 20,
    },
  )
})
afterEach(async () => {
  await source.close()
  await node.close()
  await database.end()
  await test_.drop()
})

const address = (n: number): string => `0x${n.toString(16).padStart(40, "c0de")}`
const hex = (n: number): string => address(n).slice(2)

async function addSubjects(numbers: readonly number[], height = 10): Promise<void> {
  await database.query(
    `insert into app.metadata_subjects (contract_address, first_block_height)
     select decode(contract, 'hex'), $2 from unnest($1::text[]) as contract`,
    [numbers.map(hex), height],
  )
}

const observer = (
  options: Partial<ContractObserverOptions<MetadataOutcome>> = {},
): ContractObserver<MetadataOutcome> =>
  new ContractObserver({
    ...deps,
    database,
    ledger: testLedgers.app,
    jobs: testLedgers.jobs,
    question: metadataQuestion(source),
    observedBlock: async () => node.block,
    holder: "test",
    intervalMs: 1000,
    ...options,
  })

async function rows() {
  const result = await database.query<{
    contract: string
    status: string
    name: string | null
    symbol: string | null
    decimals: number | null
    asked_at_height: string | null
    attempts: number | null
    truncated: boolean
    wait_s: number | null
  }>(
    `select coalesce(subject, '0x' || encode(contract_address, 'hex')) as contract, coalesce(status, 'queued') as status,
            name, symbol, decimals, asked_at_height, attempts, truncated,
            extract(epoch from due_at - clock_timestamp())::float8 as wait_s
       from app.job_queue full join app.token_metadata on subject = '0x' || encode(contract_address, 'hex')`,
  )
  return new Map(result.rows.map((row) => [row.contract, row]))
}
const statusOf = async (n: number) => (await rows()).get(address(n))?.status
const makeDue = () => database.query("update app.job_queue set due_at = now()")
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

describe("observing", () => {
  test("a contract that answers is kept with the block it was asked at, and never asked again", async () => {
    await addSubjects([1])
    node.contracts.set(address(1), token("Harbour"))
    await observer().runOnce(signal)
    const { rows: kept } = await database.query(
      `select status, name, symbol, decimals, asked_at_height, encode(block_hash, 'hex') as hash, encode(name_raw, 'hex') as raw
         from app.token_metadata`,
    )
    expect(kept).toEqual([
      {
        status: "answered",
        name: "Harbour",
        symbol: "HARB",
        decimals: 18,
        asked_at_height: "1000",
        hash: "ab".repeat(32),
        raw: abiText("Harbour").slice(2),
      },
    ])
    expect((await database.query("select 1 from app.job_queue")).rows).toEqual([])
    const requests = node.requests.length
    await observer().runOnce(signal)
    expect(node.requests).toHaveLength(requests)
  })

  test("many are asked in one multicall where the chain has it", async () => {
    await addSubjects(range(1, 41))
    for (const n of range(1, 41)) node.contracts.set(address(n), token(`T${n}`))
    await observer().runOnce(signal)
    expect([...(await rows()).values()].every(({ status }) => status === "answered")).toBe(true)
    // One looks for Multicall3, one asks.
    expect(node.requests).toHaveLength(2)
    expect([...node.asked.values()]).toEqual([1])
  })

  test("without multicall the calls go as one batch, each by itself", async () => {
    node.hasMulticall = false
    await addSubjects(range(1, 11))
    for (const n of range(1, 11)) node.contracts.set(address(n), token(`T${n}`))
    node.contracts.set(address(3), "reverts")
    await observer().runOnce(signal)
    expect(node.requests).toHaveLength(2)
    expect((await rows()).get(address(7))).toMatchObject({ status: "answered", name: "T7" })
    expect(await statusOf(3)).toBe("silent")
  })

  test("half an answer is an answer, and nonsense is kept as bytes without a text", async () => {
    await addSubjects([1, 2])
    node.contracts.set(address(1), { name: abiText("Collectible") })
    node.contracts.set(address(2), { name: "0xdeadbeef", decimals: abiNumber(256) })
    await observer().runOnce(signal)
    const found = await rows()
    expect(found.get(address(1))).toMatchObject({ status: "answered", name: "Collectible", decimals: null })
    expect(found.get(address(2))).toMatchObject({ status: "answered", name: null, decimals: null })
  })

  test("an answer over 64 KB is cut and marked, and its text is still read", async () => {
    await addSubjects([1])
    node.contracts.set(address(1), { name: abiText(`Big ${"x".repeat(100_000)}`) })
    await observer().runOnce(signal)
    expect((await rows()).get(address(1))).toMatchObject({ truncated: true, name: `Big ${"x".repeat(252)}` })
    const { rows: sizes } = await database.query("select octet_length(name_raw) as bytes from app.token_metadata")
    expect(sizes).toEqual([{ bytes: 65_536 }])
  })
})

describe("contracts that misbehave", () => {
  test("one that breaks its multicall is found by halving, and costs the others nothing", async () => {
    await addSubjects(range(1, 41))
    for (const n of range(1, 41)) node.contracts.set(address(n), token(`T${n}`))
    node.contracts.set(address(17), "breaks")
    await observer().runOnce(signal)
    const found = await rows()
    expect([...found.values()].map(({ status }) => status)).toEqual(Array(40).fill("answered"))
    expect(found.get(address(17))!.name).toBe("alone")
    // The others are never asked one by one.
    expect(node.asked.size).toBeLessThan(5)
  })

  test("one that burns the gas of a multicall does not make its neighbours look silent", async () => {
    await addSubjects(range(1, 11))
    for (const n of range(1, 11)) node.contracts.set(address(n), token(`T${n}`))
    node.contracts.set(address(1), "burns")
    await observer().runOnce(signal)
    const found = await rows()
    expect(found.get(address(1))!.status).toBe("silent")
    for (const n of range(2, 11)) expect(found.get(address(n))).toMatchObject({ name: `T${n}`, decimals: 18 })
  })

  test.each(["hangs", "floods"] as const)("one that %s is named, and the others go on", async (how) => {
    await addSubjects(range(1, 9))
    for (const n of range(1, 9)) node.contracts.set(address(n), token(`T${n}`))
    node.contracts.set(address(4), how)
    await observer().runOnce(signal)
    const found = await rows()
    expect(found.get(address(4))).toMatchObject({ status: "failed", attempts: 1, name: null })
    for (const n of [1, 2, 3, 5, 6, 7, 8]) expect(found.get(address(n))!.status).toBe("answered")
  })

  test("the wait for the next attempt doubles from a minute to a day, and 20 attempts are the last", async () => {
    await addSubjects([1])
    node.contracts.set(address(1), "reverts")
    const waits: (number | null)[] = []
    for (let i = 0; i < 21; i++) {
      await makeDue()
      await observer().runOnce(signal)
      const { wait_s } = (await rows()).get(address(1))!
      waits.push(wait_s && Math.round(wait_s / 60))
    }
    const days = Array<number>(9).fill(1440)
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, ...days, null])
  })

  test("one that was silent and finds its voice is answered", async () => {
    await addSubjects([1])
    await observer().runOnce(signal)
    expect(await statusOf(1)).toBe("silent")
    node.contracts.set(address(1), token("Late"))
    await observer().runOnce(signal)
    expect(await statusOf(1)).toBe("silent")
    await makeDue()
    await observer().runOnce(signal)
    expect((await rows()).get(address(1))).toMatchObject({ status: "answered", name: "Late" })
  })
})

describe("the node", () => {
  const untouched = { status: "queued", attempts: 0, asked_at_height: null }

  test("an outage costs nobody an attempt", async () => {
    await addSubjects([1, 2])
    node.answer = (_body, response) => {
      response.destroy()
      return undefined
    }
    await expect(observer().runOnce(signal)).rejects.toMatchObject({ code: "RPC_UNREACHABLE" })
    for (const row of (await rows()).values()) {
      expect(row).toMatchObject(untouched)
      expect(row.wait_s).toBeLessThanOrEqual(0)
    }
  })

  test("nor does one that begins between two requests", async () => {
    await addSubjects([1])
    const answer = node.answer
    node.answer = (body, response, request) => {
      if (JSON.stringify(body).includes("eth_getCode")) return answer(body, response, request)
      response.destroy()
      return undefined
    }
    await expect(observer().runOnce(signal)).rejects.toMatchObject({ code: "RPC_UNREACHABLE" })
    expect((await rows()).get(address(1))).toMatchObject(untouched)
  })

  test("one that has lost the state of the block has not said that contracts are silent", async () => {
    await addSubjects([1, 2])
    node.hasState = false
    await expect(observer().runOnce(signal)).rejects.toMatchObject({ code: "RPC_BLOCK_MISSING" })
    for (const row of (await rows()).values()) expect(row).toMatchObject(untouched)
  })

  test("one on another branch is not believed", async () => {
    await addSubjects([1])
    node.contracts.set(address(1), token("Other"))
    const observedBlock = async (): Promise<ObservedBlock> => ({ height: 1000, hash: `0x${"cd".repeat(32)}` })
    await expect(observer({ observedBlock }).runOnce(signal)).rejects.toMatchObject({
      code: "RPC_BLOCK_MISSING",
    })
    expect((await rows()).get(address(1))).toMatchObject(untouched)
  })

  test("one that is away for the length of one request does not count against a contract", async () => {
    await addSubjects([1])
    node.contracts.set(address(1), token("Fine"))
    let cut = 1
    const answer = node.answer
    node.answer = (body, response, request) => {
      if (JSON.stringify(body).includes(hex(1)) && cut-- > 0) {
        response.destroy()
        return undefined
      }
      return answer(body, response, request)
    }
    await observer().runOnce(signal)
    expect(await statusOf(1)).toBe("answered")
  })

  test("no lock is held while it is asked", async () => {
    await addSubjects([1])
    let locks: unknown
    node.before = async () => {
      const result = await database.query(
        "select count(*)::int4 as open from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
      )
      await database.query("select 1 from app.job_queue for update nowait")
      locks = result.rows[0]
    }
    await observer().runOnce(signal)
    expect(locks).toEqual({ open: 0 })
  })
})

describe("the queue", () => {
  test("two processes never ask about the same contract", async () => {
    await addSubjects(range(1, 31))
    for (const n of range(1, 31)) node.contracts.set(address(n), token(`T${n}`))
    node.hasMulticall = false
    const both = [observer({ batchSize: 10 }), observer({ batchSize: 10 })]
    for (let run = 0; run < 4; run++) await Promise.all(both.map((one) => one.runOnce(signal)))
    expect([...(await rows()).values()].map(({ status }) => status)).toEqual(Array(30).fill("answered"))
    expect([...node.asked.values()]).toEqual(Array(30).fill(3))
  })

  test("an answer that comes after the claim went to another changes nothing", async () => {
    await addSubjects([1])
    node.contracts.set(address(1), token("Late"))
    node.before = async (calls) => {
      if (JSON.stringify(calls).includes(hex(1)))
        await database.query("update app.job_queue set epoch = gen_random_uuid(), holder = 'another'")
    }
    await observer().runOnce(signal)
    expect((await rows()).get(address(1))).toMatchObject({ status: "queued", attempts: 1 })
    expect((await database.query("select holder from app.job_queue")).rows).toEqual([{ holder: "another" }])
  })

  test("nothing is written about a contract that is no subject any more", async () => {
    await addSubjects([1, 2])
    node.before = async (calls) => {
      if (JSON.stringify(calls).includes(hex(1)))
        await database.query("delete from app.metadata_subjects where contract_address = decode($1, 'hex')", [hex(1)])
    }
    await observer().runOnce(signal)
    expect([...(await rows()).keys()]).toEqual([address(2)])
  })

  test("a contract that appears in new coverage is asked, and one above the block waits", async () => {
    await observer().runOnce(signal)
    await addSubjects([1], 1001)
    node.contracts.set(address(1), token("New"))
    await observer().runOnce(signal)
    expect((await rows()).size).toBe(0)
    await database.query("update app.coverage set heights = '{[0,1002)}'")
    await observer().runOnce(signal)
    const row = (await rows()).get(address(1))!
    expect(row).toMatchObject({ status: "queued", attempts: 0 })
    expect(row.wait_s).toBeGreaterThan(30)
    node.block.height = 1001
    await makeDue()
    await observer().runOnce(signal)
    expect((await rows()).get(address(1))).toMatchObject({ status: "answered", asked_at_height: "1001" })
  })

  test("more new contracts than one run takes are queued a height at a time, once those before them were asked", async () => {
    await database.query(
      `insert into app.metadata_subjects (contract_address, first_block_height)
       select decode(lpad(to_hex(n), 40, '0'), 'hex'), n / 30 from generate_series(0, 25000) as n`,
    )
    const run = observer({ observedBlock: async () => undefined })
    expect(await run.runOnce(signal)).toBeUndefined()
    const counts: unknown[] = []
    for (let i = 0; i < 4; i++) {
      const result = await database.query(
        "select count(*)::int4 as queued, (select heights::text from app.queued_heights where queue = 'token_metadata') as heights from app.job_queue",
      )
      counts.push(result.rows[0])
      // Due soon counts as well, what failed and waits for long does not.
      if (i === 0) await database.query("update app.job_queue set due_at = now() + interval '1 minute'")
      if (i > 0) await database.query("update app.job_queue set attempts = 1, due_at = now() + interval '1 hour'")
      await run.runOnce(signal)
    }
    expect(counts).toEqual([
      { queued: 10_020, heights: "{[0,334)}" },
      { queued: 10_020, heights: "{[0,334)}" },
      { queued: 20_040, heights: "{[0,668)}" },
      { queued: 25_001, heights: "{[0,1001)}" },
    ])
  })

  test("a look for work reads no answered row, however many there are", async () => {
    await database.query(
      `insert into app.metadata_subjects (contract_address, first_block_height)
       select decode(lpad(to_hex(n), 40, '0'), 'hex'), n % 1000 from generate_series(1, 50000) as n`,
    )
    await database.query(
      `insert into app.token_metadata (contract_address, status, asked_at_height, block_hash)
       select contract_address, 'answered', 5, '\\x00' from app.metadata_subjects`,
    )
    await database.query("update app.queued_heights set heights = '{[0,1001)}'")
    await database.query("vacuum analyze app.token_metadata, app.metadata_subjects")
    await observer().runOnce(signal)
    const read = async () => {
      await database.query("select pg_stat_clear_snapshot()")
      const result = await database.query<{ rows: number }>(
        `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int4 as rows from pg_stat_user_tables
          where schemaname = 'app' and relname in ('job_queue', 'token_metadata', 'metadata_subjects')`,
      )
      return result.rows[0]!.rows
    }
    // A fresh connection's numbers arrive when it ends.
    await database.end()
    database = new Database({ url: test_.url, applicationName: "test", maxConnections: 1 })
    const before = await read()
    for (let i = 0; i < 5; i++) await observer().runOnce(signal)
    await database.end()
    database = new Database({ url: test_.url, applicationName: "test", maxConnections: 1 })
    expect((await read()) - before).toBe(0)
  })
})

describe("a rollback", () => {
  const rollBack = (from: number) =>
    database.transaction(async (tx) => {
      await tx.query(
        "insert into app.rollbacks (id, epoch, removed) values (gen_random_uuid(), 1, int8range($1, null))",
        [from],
      )
      await tx.query("update app.coverage set heights = heights - int8multirange(int8range($1, null))", [from])
      await tx.query("delete from app.metadata_subjects where first_block_height >= $1", [from])
      await forgetObserved(testLedgers.jobs, tx, { removed: { from, to: Number.MAX_SAFE_INTEGER } })
    })

  test("forgets what was observed at removed heights and asks again; what lies below stays", async () => {
    await addSubjects([1])
    node.contracts.set(address(1), token("Low"))
    node.block.height = 900
    await observer().runOnce(signal)
    await addSubjects([2, 3], 20)
    await database.query("update app.queued_heights set heights = '{}'")
    for (const n of [2, 3]) node.contracts.set(address(n), token("High"))
    node.block.height = 1000
    await observer().runOnce(signal)
    await rollBack(990)
    const found = await rows()
    expect(found.get(address(1))).toMatchObject({ status: "answered", asked_at_height: "900" })
    for (const n of [2, 3]) expect(found.get(address(n))).toMatchObject({ status: "queued", name: null, attempts: 0 })
    node.block.height = 985
    node.contracts.set(address(2), token("Again"))
    await observer().runOnce(signal)
    expect((await rows()).get(address(2))).toMatchObject({ name: "Again", asked_at_height: "985" })
  })

  test("a contract that went and came back on the other branch is queued again", async () => {
    await addSubjects([1], 995)
    await observer().runOnce(signal)
    await rollBack(990)
    node.block.height = 989
    await observer().runOnce(signal)
    expect((await rows()).size).toBe(0)
    await addSubjects([1], 996)
    node.contracts.set(address(1), token("Back"))
    await database.query("update app.coverage set heights = '{[0,1001)}'")
    node.block.height = 1000
    await observer().runOnce(signal)
    expect(await statusOf(1)).toBe("answered")
  })

  test("while the node is asked voids the answer, at no cost", async () => {
    await addSubjects([1])
    node.contracts.set(address(1), token("Void"))
    let once = true
    node.before = async (calls) => {
      if (once && JSON.stringify(calls).includes(hex(1))) {
        once = false
        await rollBack(990)
      }
    }
    await observer().runOnce(signal)
    expect((await rows()).get(address(1))).toMatchObject({
      status: "queued",
      attempts: 0,
      asked_at_height: null,
    })
    await observer().runOnce(signal)
    expect(await statusOf(1)).toBe("answered")
  })
})
