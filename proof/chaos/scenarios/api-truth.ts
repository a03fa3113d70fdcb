// Clients ask all the time, over HTTP, while the chain grows and turns, history fills and processes are killed, the one that
// answers too. Whatever they are told is compared with what the node has said: rows, coverage, cursors, balances, events.

import assert from "node:assert/strict"
import { freePort } from "../../../src/platform/free-port.js"
import { type Chain, createChain } from "../../../test/chain/synthetic-chain.js"
import { seededRandom } from "../../../test/support/seeded-random.js"
import { startSlowProxy } from "../../../test/support/slow-proxy.js"
import { AskedAnswers } from "../api/asked-answers.js"
import { ChainTruth } from "../api/chain-truth.js"
import { GraphWalker } from "../api/graph-walker.js"
import { ListWalker } from "../api/list-walker.js"
import { StreamFollower } from "../api/stream-follower.js"
import { compareAll, times } from "../compare.js"
import { healWithinMs } from "../heal-within.js"
import type { Scenario } from "../scenario.js"

const chainName = "evm-1337"
const deepest = 20
const finalBelowHead = 60
const late = { from: 30, to: 40 }
/** From the serving process to its database. */
const linkMs = 25

export const apiTruth: Scenario = {
  name: "api-truth",
  fault: "reorganisations and kill -9, of the serving process too, while clients walk lists and follow the stream",
  count: { quick: 1, full: 150 },
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
      ...{ postgres, rpcUrl: node.url, roles: "ingest,work,maintain", twoDatabases: scene.seed % 2 === 1 },
      env: {
        ...{ RANGE_SIZE: "20", RPC_BATCH_BLOCKS: "5", REORG_CONFIRM_MS: "50", POLL_INTERVAL_MS: "50" },
        RPC_MAX_RPS: String(callsPerSecond),
      },
    })
    const truth = new ChainTruth()
    // Blocks that the node does not have yet, until there were answers over the gap: however fast the machine is.
    let isFilling = true
    node.tamper = ({ method, params }) => {
      const height = method === "eth_getBlockByNumber" ? Number((params as readonly unknown[])[0]) : Number.NaN
      return isFilling && height >= late.from && height < late.to ? null : undefined
    }
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
    // So that blocks come and go between two statements of an answer.
    const far = await startSlowProxy(postgres.port, { delayMs: linkMs })
    scene.ending(() => far.close())
    const reads = { DB_RAW_READ_URL: far.way(stage.url), DB_APP_READ_URL: far.way(stage.appUrl) }
    const serve = () => stage.start({ roles: "serve", env: { PORT: port, ...reads } })
    for (let i = 0; i < (scene.isQuick ? 1 : 2); i++) stage.start()
    let server = serve()
    const url = `http://127.0.0.1:${port}`
    const api = `${url}/v1/${chainName}`
    const over = new AbortController()
    const { signal } = over
    scene.ending(async () => over.abort())
    // So that the short profile is cheap, however long it takes.
    const everyMs = scene.isQuick ? 400 : 0
    const walkers = (["blocks", "transactions"] as const).flatMap((kind) =>
      (["asc", "desc"] as const).map(
        (order, i) =>
          new ListWalker({
            ...{ url: api, kind, order, limit: (scene.isQuick ? [20, 50] : [7, 20])[i]!, everyMs },
            truth,
            signal,
          }),
      ),
    )
    const places = seededRandom(seed + 1)
    const graph = new GraphWalker({
      ...{ url: `${url}/graphql/${chainName}`, everyMs, truth, signal },
      // Where blocks come and go, or where history fills.
      from: () => (places.below(2) === 0 ? head - 10 : places.below(history)),
    })
    const follower = new StreamFollower({ url: `${url}/v1/stream?chain=${chainName}`, signal })
    const clients = [...walkers, graph, follower]
    const asked = new AskedAnswers({
      ...{ url, chainName, truth, random, signal, view: () => ({ chain, head }) },
    })
    const counts = { kills: 0, serverKills: 0, whileFilling: 0, refused: 0, keptCursors: 0 }
    const storedMs: number[] = []
    await asked.seesWritten()
    for (let turn = 1; turn <= turns; turn++) {
      const at = Math.max(finalized + 1, head - random.below(deepest))
      // One cursor on what is about to go, one below it.
      const top = await asked.ask(`blocks?limit=1&${asked.atHead}`)
      const low = at - 5
      const below = await asked.ask(`transactions?order=asc&from_height=${low}&limit=1&${asked.atHead}`)
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
      await asked.seesWritten()
      storedMs.push(performance.now() - began)
      isFilling &&= turn < turns / 15
      await asked.seesBalances()
      await asked.seesPast()
      await asked.seesTransfers()
      const gone = await asked.ask(`blocks?limit=1&cursor=${top.meta.next_cursor}`, ["CURSOR_ROLLED_BACK"])
      assert.equal(gone.error?.code, "CURSOR_ROLLED_BACK", `a cursor above ${at} goes on after a rollback from there`)
      assert.ok(Number(gone.error.details["restart_height"]) <= at, "it does not say from where to start again")
      counts.refused++
      const kept = await asked.ask(
        `transactions?order=asc&from_height=${low}&limit=1&cursor=${below.meta.next_cursor}`,
      )
      const [row] = kept.data as { transaction_hash: string }[]
      const place = { height: low, index: 0 }
      const part = { kind: "transactions", order: "asc", coverage: [{ from: low, to: at }] } as const
      const [expected] = truth.rows(chain, { ...part, after: place, last: undefined })
      assert.equal(row!.transaction_hash, expected, `a cursor below ${at} does not go on where it was`)
      counts.keptCursors++
      const [violation] = clients.flatMap(({ violations }) => violations)
      if (violation !== undefined) throw new Error(violation)
    }
    // A last page that is written and heard of by everybody, with nothing in the way.
    await stage.finish(head + 1, healWithinMs({ blocks: head, callsPerSecond }))
    // Now nothing is missing: each of them has something to compare.
    await asked.seesBalances()
    for (let i = 0; i < 5; i++) await asked.seesPast()
    await asked.seesTransfers()
    const walksBefore = walkers.map(({ walks }) => walks)
    await stage.until(() => walkers.every(({ walks }, i) => walks >= walksBefore[i]! + 2), {
      ...{ what: "every list walked to its end", timeoutMs: 120_000 },
    })
    const [told] = await stage.derived.rows<{ last: string }>("select last_sequence as last from app.outbox_state")
    await stage.until(() => follower.last >= Number(told!.last), {
      ...{ what: `event ${told!.last} heard`, timeoutMs: 60_000 },
    })
    over.abort()
    await Promise.all(clients.map(({ done }) => done))
    assert.deepEqual(
      clients.flatMap(({ violations }) => violations),
      [],
    )
    await follower.compare(stage.derived)
    for (const [what, times] of Object.entries({ ...asked.compared, graph: graph.answers }))
      assert.ok(times > 0, `nothing of ${what} was compared`)
    assert.ok(counts.whileFilling > 0, "history was filled before anything was asked")
    const sum = (of: (walker: ListWalker) => number) => walkers.reduce((total, walker) => total + of(walker), 0)
    const pages = sum((walker) => walker.pages)
    const compared = scene.isQuick
      ? `${pages} pages`
      : `${pages} pages; ${await compareAll(stage, { against: { postgres, rpcUrl: node.url }, head })}`
    return {
      ...{ times: turns, compared, recovery: `new branch answered: ${times(storedMs)}` },
      facts: {
        ...{
          blocks: head,
          ...counts,
          ...asked.compared,
          pages,
          rows: sum(({ rows }) => rows),
          walks: sum(({ walks }) => walks),
        },
        ...{ "walks refused": sum(({ rolledBack }) => rolledBack), events: follower.heard.length },
        ...{ "stream connections": follower.connections, "GraphQL answers": graph.answers },
      },
    }
  },
}
