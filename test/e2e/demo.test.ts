import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { checkDerived } from "../../proof/checker/check-derived.js"
import { formatReport } from "../../proof/checker/format-report.js"
import { startChainServer } from "../support/chain-server.js"
import { DerivedProbe } from "../support/derived-probe.js"
import { StoreProbe } from "../support/store-probe.js"
import type { TidemarkProcess } from "../support/tidemark-process.js"
import { waitUntil } from "../support/wait-until.js"
import { refusal, urlOf, Workplace } from "./workplace.js"

/** Anything JSON can hold, looked into without ceremony. */
type Json = ReturnType<typeof JSON.parse>

let workplace: Workplace

beforeAll(async () => {
  workplace = await Workplace.make()
})

afterAll(() => workplace.remove())

const ask = async (url: string): Promise<{ status: number; body: Json }> => {
  const answer = await fetch(url)
  const text = await answer.text()
  return { status: answer.status, body: text.startsWith("{") ? JSON.parse(text) : text }
}

const chainOf = async (url: string): Promise<Json> => (await ask(`${url}/status`)).body.chains[0]

async function headDelays(url: string): Promise<{ sum: number; count: number }> {
  const { body } = await ask(`${url}/metrics`)
  const metric = (name: string) => Number(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, "m").exec(body)?.[1])
  return {
    sum: metric("tidemark_head_delay_seconds_sum"),
    count: metric("tidemark_head_delay_seconds_count"),
  }
}

async function ready(child: TidemarkProcess): Promise<string> {
  const url = await urlOf(child)
  await waitUntil(async () => (await ask(`${url}/ready?history=1`)).status === 200, {
    what: "ready with all of its history",
  })
  return url
}

// One story, since each part starts from what the one before left in the directory.
describe("a plain start in an empty directory", () => {
  let first: TidemarkProcess
  let url: string
  let watermark = 0
  let genesis: string
  let databases: { rawUrl: string; appUrl: string }

  it("becomes ready, follows its head, and answers", async () => {
    first = workplace.start()
    url = await ready(first)
    expect((await ask(`${url}/health`)).body.status).toBe("ok")
    const blocksLater = async (count: number): Promise<Json> => {
      const before = Number((await chainOf(url)).stored_head_height)
      return waitUntil(
        async () => {
          const now = await chainOf(url)
          return Number(now.stored_head_height) >= before + count && now
        },
        { what: `${count} more blocks` },
      )
    }
    // Counted from then on: what was announced while history was still made had to wait for it.
    await blocksLater(3)
    const delays = await headDelays(url)
    const chain = await blocksLater(5)
    expect(chain).toMatchObject({ chain: "demo", chain_id: "31337" })
    expect(chain.workers[0].gap_blocks).toBe(0)
    const now = await headDelays(url)
    expect(now.count - delays.count).toBeGreaterThan(3)
    // Said and not judged: it is under a second where the machine has nothing else to do.
    const meanDelay = (now.sum - delays.sum) / (now.count - delays.count)
    console.info(`heads were stored ${Math.round(meanDelay * 1_000)} ms after they were announced, on average`)
  })

  it("refuses a second start in the directory, and names the lines that join it", async () => {
    const { code, said } = await refusal(workplace.start())
    expect(code).toBe(1)
    expect(said).toContain("EMBEDDED_IN_USE")
    const value = (name: string) => new RegExp(`${name}=(\\S+)`).exec(said)![1]!
    const env = {
      DB_RAW_URL: value("DB_RAW_URL"),
      DB_APP_URL: value("DB_APP_URL"),
      RPC_URL: value("RPC_URL"),
    }
    databases = { rawUrl: env.DB_RAW_URL, appUrl: env.DB_APP_URL }
    const joined = workplace.start(["--roles", "ingest"], env)
    await urlOf(joined)
    await waitUntil(async () => (await chainOf(url)).processes.length === 2, {
      what: "both processes in status",
    })
    joined.kill("SIGTERM")
    expect(await joined.exit).toBe(0)
    expect((await ask(`${url}/health`)).status).toBe(200)
    const probe = new StoreProbe(env.DB_RAW_URL)
    const [state] = await probe.rows<{ hash: string }>(
      "select encode(genesis_hash, 'hex') as hash from raw.chain_state",
    )
    genesis = state!.hash
    await probe.close()
  })

  it("derives every table as the checker has it, of every kind of event there is", async () => {
    const probe = new DerivedProbe(databases.appUrl)
    const head = Number((await chainOf(url)).stored_head_height)
    await waitUntil(
      async () => {
        const covered = Object.values(await probe.coverage()).map((text) => /^\{\[0,(\d+)\)\}$/.exec(text)?.[1])
        return covered.length > 0 && covered.every((end) => Number(end) > head)
      },
      { what: `every worker at block ${head}` },
    )
    const errors = await probe.errors()
    const tags = await probe.rows<{ tag: string }>("select distinct tag from app.tx_tags")
    await probe.close()
    const report = await checkDerived(databases)
    expect(report.ok, formatReport(report)).toBe(true)
    expect(errors).toEqual([])
    // Names and code are asked of blocks of the past as well, and the demo's node has their states.
    expect(first.lines.filter(({ code }) => code === "RPC_BLOCK_MISSING")).toEqual([])
    expect(report.tables.filter(({ rowsFound }) => rowsFound === 0)).toEqual([])
    const named = tags.map(({ tag }) => tag)
    expect(named).toEqual(expect.arrayContaining(["FAILED", "CONTRACT_DEPLOY", "WRAP", "SWAP", "NFT_MINT"]))
  })

  it("keeps chain and data over a clean restart", async () => {
    watermark = Number((await chainOf(url)).watermark_height)
    first.kill("SIGTERM")
    expect(await first.exit).toBe(0)
    expect(await workplace.leftovers()).toEqual([])
    first = workplace.start()
    url = await urlOf(first)
    expect(Number((await chainOf(url)).watermark_height)).toBeGreaterThanOrEqual(watermark)
    url = await ready(first)
    expect(first.lines.filter(({ msg }) => msg.includes("made anew"))).toEqual([])
    await waitUntil(async () => Number((await chainOf(url)).watermark_height) > watermark + 2, {
      what: "new blocks",
    })
  })

  it("works again after everything was killed, and says so when the chain was lost", async () => {
    const pids = await workplace.leftovers()
    expect(pids).toHaveLength(2)
    for (const pid of [first.pid, ...pids]) process.kill(pid, "SIGKILL")
    await first.exit
    first = workplace.start()
    url = await ready(first)
    const lost = first.lines.some(({ msg }) => msg.includes("the demo chain's state was lost"))
    const joinLines = await refusal(workplace.start())
    const probe = new StoreProbe(/DB_RAW_URL=(\S+)/.exec(joinLines.said)![1]!)
    const [state] = await probe.rows<{ hash: string }>(
      "select encode(genesis_hash, 'hex') as hash from raw.chain_state",
    )
    expect(await probe.brokenLinks()).toEqual([])
    await probe.close()
    // Either the old chain with its old blocks, or a new one and its word for it.
    if (!lost) expect(state!.hash).toBe(genesis)
    first.kill("SIGTERM")
    expect(await first.exit).toBe(0)
  })

  it("has room for another chain in the directory, whose start may be lowered and never raised", async () => {
    const node = await startChainServer({
      blocks: 100,
      transactionsPerBlock: 3,
      logsPerBlock: 4,
      holders: 100,
    })
    try {
      const bounded = ["--rpc", node.url, "--end-block", "60", "--start-block"]
      expect(await workplace.start([...bounded, "10", "--exit-when-done"]).exit).toBe(0)
      const raised = await refusal(workplace.start([...bounded, "20"]))
      expect(raised.code).toBe(1)
      expect(raised.said).toContain("START_BLOCK_RAISED")
      const lowered = workplace.start([...bounded, "5"])
      url = await urlOf(lowered)
      expect(lowered.lines.some(({ msg }) => msg.includes("history now starts lower"))).toBe(true)
      const chain = await waitUntil(
        async () => {
          const now = await chainOf(url)
          return now.watermark_height === "60" && now
        },
        { what: "the lower start filled in" },
      )
      expect(chain.workers[0].coverage).toEqual([{ from: "5", to: "61" }])
      const { said } = await refusal(workplace.start())
      const pairs = [...said.matchAll(/DB_RAW_URL=(\S+)/g)].map(([, found]) => found!)
      expect(pairs.map((found) => new URL(found).pathname)).toEqual(["/tidemark_demo_raw", "/tidemark_evm_1337_raw"])
      const probe = new StoreProbe(pairs[1]!)
      const [stored] = await probe.rows(
        "select min(height)::int as low, max(height)::int as high, count(*)::int as count from raw.blocks",
      )
      // Only what was missing was fetched for the lower start.
      const leases = (await probe.leases()).filter(({ from }) => from < 10)
      await probe.close()
      expect(stored).toEqual({ low: 5, high: 60, count: 56 })
      expect(leases.map(({ from, to }) => [from, to])).toEqual([[5, 10]])
      lowered.kill("SIGTERM")
      expect(await lowered.exit).toBe(0)
    } finally {
      await node.stop()
    }
  })
})
