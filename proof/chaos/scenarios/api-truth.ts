// Clients ask all the time, over HTTP, while the chain grows and turns, history fills and processes are killed, the one that
// answers too. Whatever they are told is compared with what the node has said: rows, coverage, cursors, balances, events.

import assert from "node:assert/strict"
import { freePort } from "../../../src/platform/free-port.js"
import { type Chain, createChain } from "../../../test/chain/synthetic-chain.js"
import { seededRandom } from "../../../test/support/seeded-random.js"
import { type ApiAnswer, askApi } from "../api/ask-api.js"
import { ChainTruth } from "../api/chain-truth.js"
import { coverageOf, ListWalker } from "../api/list-walker.js"
import { StreamFollower } from "../api/stream-follower.js"
import { compareAll, times } from "../compare.js"
import { healWithinMs } from "../heal-within.js"
import type { Scenario } from "../scenario.js"

const chainName = "evm-1337"
const deepest = 20
const finalBelowHead = 60

export const apiTruth: Scenario = {
  name: "api-truth",
  fault: "reorganisations and kill -9, of the serving process too, while clients walk lists and follow the stream",
  count: { quick: 2, full: 150 },
  async run(scene) {
    const { count: turns, seed } = scene
    const random = seededRandom(seed)
    const history = scene.isQuick ? 60 : 10 * turns
    // Slow, so that history fills while clients ask.
    const callsPerSecond = scene.isQuick ? 25 : 60
    let chain: Chain = createChain({
      ...{ blocks: 100_000, transactionsPerBlock: 3, logsPerBlock: 6, holders: 20, tokenIds: 4 },
    })
    const node = await scene.tamperingNode(() => undefined)
    const postgres = await scene.postgres()
    const stage = await scene.stage({
      ...{ postgres, rpcUrl: node.url, roles: "ingest,work,maintain" },
      env: {
        ...{ RANGE_SIZE: "20", RPC_BATCH_BLOCKS: "5", REORG_CONFIRM_MS: "50", POLL_INTERVAL_MS: "50" },
        RPC_MAX_RPS: String(callsPerSecond),
      },
    })
    const truth = new ChainTruth()
    let head = history + 30
    let finalized = history
    const show = (): void => {
      finalized = Math.max(finalized, head - finalBelowHead)
      const view = { chain, head, finalized }
      truth.shows(chain)
      node.view = () => view
    }
    show()
    const port = String(await freePort())
    const serve = () => stage.start({ roles: "serve", env: { PORT: port } })
    for (let i = 0; i < (scene.isQuick ? 1 : 2); i++) stage.start()
    let server = serve()
    const api = `http://127.0.0.1:${port}/v1/${chainName}`
    const over = new AbortController()
    const { signal } = over
    scene.ending(async () => over.abort())
    // So that the short profile is cheap, however long it takes.
    const everyMs = scene.isQuick ? 100 : 0
    const walkers = (["blocks", "transactions"] as const).flatMap((kind) =>
      (["asc", "desc"] as const).map(
        (order, i) => new ListWalker({ ...{ url: api, kind, order, limit: [7, 20][i]!, everyMs }, truth, signal }),
      ),
    )
    const follower = new StreamFollower({ url: `http://127.0.0.1:${port}/v1/stream?chain=${chainName}`, signal })
    /** Patient: the answer has to come. */
    const ask = async (path: string, mayFail: readonly string[] = []): Promise<ApiAnswer> => {
      const answer = await askApi(`${api}/${path}`, { signal, mayFail: [...mayFail, "NOT_FOUND", "NOT_REACHED"] })
      if (answer === undefined) throw new Error(`nobody answered ${path}`)
      return answer.error?.code === "NOT_REACHED" || answer.error?.code === "NOT_FOUND" ? ask(path, mayFail) : answer
    }
    const atHead = () => `min_height=${head}&min_block_hash=${chain.hashAt(head)}`

    /** Whoever asks for what was just written sees it, and nothing of another branch. */
    const seesWritten = async (): Promise<void> => {
      const { data, meta } = await ask(`transactions?from_height=${head}&limit=200&order=asc&${atHead()}`)
      const part = { kind: "transactions", order: "asc", coverage: coverageOf({ data, meta, status: 200 }) } as const
      const expected = truth.rows(chain, { ...part, after: { height: head - 1, index: 1e6 }, last: undefined })
      const seen = (data as { transaction_hash: string }[]).map((row) => row.transaction_hash)
      assert.deepEqual(seen, expected, `min_height=${head} does not see what was written`)
      assert.ok(expected.length > 0)
    }
    const seesBalances = async (): Promise<void> => {
      const account = chain.universe.holder(random.below(5)).address
      const { data, meta } = await ask(`accounts/${account}/holdings?limit=200&${atHead()}`)
      const coverage = coverageOf({ data, meta, status: 200 })
      // While history fills, balances are of no single height.
      if (coverage.length !== 1 || coverage[0]!.from !== 0) return
      const expected = truth.holdings(chain, { account, height: coverage[0]!.to - 1 })
      const rows = data as { contract_address: string; balance: string }[]
      const seen = new Map(rows.map((row) => [row.contract_address, BigInt(row.balance)]))
      assert.deepEqual(sorted(seen), sorted(expected), `${account} holds something else at ${head}`)
      counts.balances++
    }
    const counts = { kills: 0, serverKills: 0, whileFilling: 0, refused: 0, keptCursors: 0, balances: 0 }
    const storedMs: number[] = []
    await seesWritten()
    for (let turn = 1; turn <= turns; turn++) {
      const at = Math.max(finalized + 1, head - random.below(deepest))
      // One cursor on what is about to go, one below it.
      const top = await ask(`blocks?limit=1&${atHead()}`)
      const low = at - 5
      const below = await ask(`transactions?order=asc&from_height=${low}&limit=1&${atHead()}`)
      if (turn % 2 === 0) {
        await stage.replace(stage.members.find((member) => member !== server)!)
        counts.kills++
      }
      chain = chain.fork({ at, seed: seed * 1_000_000 + turn })
      head = Math.max(at, head - 2) + random.below(5)
      show()
      if (turn % 2 === 1) {
        await server.end("SIGKILL")
        server = serve()
        counts.serverKills++
      }
      const began = performance.now()
      if ((await stage.probe.watermarkEnd()) <= history) counts.whileFilling++
      await seesWritten()
      storedMs.push(performance.now() - began)
      await seesBalances()
      const gone = await ask(`blocks?limit=1&cursor=${top.meta.next_cursor}`, ["CURSOR_ROLLED_BACK"])
      assert.equal(gone.error?.code, "CURSOR_ROLLED_BACK", `a cursor above ${at} goes on after a rollback from there`)
      assert.ok(Number(gone.error.details["restart_height"]) <= at, "it does not say from where to start again")
      counts.refused++
      const kept = await ask(`transactions?order=asc&from_height=${low}&limit=1&cursor=${below.meta.next_cursor}`)
      const [row] = kept.data as { transaction_hash: string }[]
      const place = { height: low, index: 0 }
      const part = { kind: "transactions", order: "asc", coverage: [{ from: low, to: at }] } as const
      const [expected] = truth.rows(chain, { ...part, after: place, last: undefined })
      assert.equal(row!.transaction_hash, expected, `a cursor below ${at} does not go on where it was`)
      counts.keptCursors++
      const [violation] = [...walkers, follower].flatMap(({ violations }) => violations)
      if (violation !== undefined) throw new Error(violation)
    }
    // A last page that is written and heard of by everybody, with nothing in the way.
    await stage.finish(head + 1, healWithinMs({ blocks: head, callsPerSecond }))
    await seesBalances()
    const walksBefore = walkers.map(({ walks }) => walks)
    await stage.until(() => walkers.every(({ walks }, i) => walks >= walksBefore[i]! + 2), {
      ...{ what: "every list walked to its end", timeoutMs: 120_000 },
    })
    const [told] = await stage.derived.rows<{ last: string }>("select last_sequence as last from app.outbox_state")
    // Ended by the server, so that what was sent before has arrived.
    await server.end("SIGTERM")
    server = serve()
    await stage.until(() => follower.last >= Number(told!.last), {
      ...{ what: `event ${told!.last} heard`, timeoutMs: 60_000 },
    })
    over.abort()
    await Promise.all([...walkers, follower].map(({ done }) => done))
    assert.deepEqual(
      [...walkers, follower].flatMap(({ violations }) => violations),
      [],
    )
    await follower.compare(stage.derived)
    assert.ok(counts.balances > 0, "no balance was compared")
    const sum = (of: (walker: ListWalker) => number) => walkers.reduce((total, walker) => total + of(walker), 0)
    const pages = sum((walker) => walker.pages)
    const compared = scene.isQuick
      ? `${pages} pages`
      : `${pages} pages; ${await compareAll(stage, { against: { postgres, rpcUrl: node.url }, head })}`
    return {
      ...{ times: turns, compared, recovery: `new branch answered: ${times(storedMs)}` },
      facts: {
        ...{ blocks: head, ...counts, pages, rows: sum(({ rows }) => rows), walks: sum(({ walks }) => walks) },
        ...{ "walks refused": sum(({ rolledBack }) => rolledBack), events: follower.heard.length },
        "stream connections": follower.connections,
      },
    }
  },
}

const sorted = (balances: ReadonlyMap<string, bigint>): string[] =>
  [...balances].map(([token, balance]) => `${token} ${balance}`).sort()
