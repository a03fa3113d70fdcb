import { afterEach, expect, test } from "vitest"
import { ChainAnswers } from "../../../../test/chain/chain-answers.js"
import { answerCalls, type RpcServer, startRpcServer } from "../../../../test/fixtures/evm/rpc-server.js"
import { waitUntil } from "../../../../test/support/wait-until.js"
import { systemClock } from "../../../platform/clock.js"
import { silentLogger } from "../../../platform/logger.js"
import { systemRandom } from "../../../platform/random.js"
import { EvmSource } from "./evm-source.js"

const signal = new AbortController().signal
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const chain = new ChainAnswers({ transactionsPerBlock: 1, logsPerBlock: 1 })
/** The synthetic chain's blocks are this far apart. */
const paceMs = 12_000

interface Node extends RpcServer {
  head: number
}

/** A chain whose node's clock is right: as time passes, blocks come. */
async function start(nodes: number, head = 200) {
  let shiftMs = 0
  const blockTime = Number(BigInt(chain.block(head).block["timestamp"] as string)) * 1_000
  const beganAt = systemClock.now()
  const clock = {
    ...systemClock,
    sleep: systemClock.sleep.bind(systemClock),
    monotonic: () => systemClock.monotonic() + shiftMs,
    now: () => blockTime + (systemClock.now() - beganAt) + shiftMs,
  }
  const servers: Node[] = []
  for (let i = 0; i < nodes; i++) {
    const server = await startRpcServer(answerCalls((call) => chain.answer(call, node.head)))
    const node: Node = Object.assign(server, { head })
    closers.push(() => server.close())
    servers.push(node)
  }
  const source = new EvmSource(
    { clock, random: systemRandom, logger: silentLogger },
    { providers: servers.map(({ url }) => ({ url })), backoffMs: 5, refetchDelayMs: 5, frozenAfterBlocks: 20 },
  )
  closers.push(() => source.close())
  const pass = (blocks: number, moving: readonly Node[]) => {
    shiftMs += blocks * paceMs
    for (const node of moving) node.head += blocks
  }
  const height = async () => (await source.head({ signal })).height
  /** Until the comparison beside the head is done, which nothing waits for. */
  const follows = (expected: number) =>
    waitUntil(async () => (await height()) === expected, { what: `the head ${expected}`, everyMs: 5 })
  return { source, servers, pass, height, follows }
}

test("a frozen node is left for one that moves, and the first is used again when it has caught up", async () => {
  const { source, servers, pass, height, follows } = await start(2)
  const [first, second] = servers as [Node, Node]
  await height()
  await waitUntil(() => source.providers().every(({ head }) => head), { what: "the first comparison", everyMs: 5 })
  pass(1, [second])
  expect(await height()).toBe(200)
  pass(2, [second])
  await follows(203)
  expect(source.providers().map(({ head }) => [head?.fault, head?.left])).toEqual([
    ["frozen", true],
    [null, false],
  ])
  // New blocks and hashes come from the other node; the frozen one is not even asked.
  const asked = first.requests.length
  const heights: number[] = []
  for await (const [block] of source.fetchRange({ from: 198, to: 204 }, { signal })) heights.push(block!.height)
  const hashes = await source.hashesByProvider([200], { signal })
  expect([heights.at(-1), hashes.length, first.requests.slice(asked).flat().length]).toEqual([203, 1, 0])
  first.head = 203
  pass(2, [first, second])
  await follows(205)
  await waitUntil(() => source.providers()[0]!.head?.fault === null, { what: "the first is back", everyMs: 5 })
  pass(1, [first])
  await follows(206)
})

test("a node that froze on an abandoned block has no vote about the blocks that follow", async () => {
  const { source, servers, pass, height, follows } = await start(2)
  const [first, second] = servers as [Node, Node]
  first.answer = answerCalls((call) => {
    const answer = chain.answer(call, first.head) as Record<string, unknown>
    return answer?.["number"] === "0xc8" ? { ...answer, hash: `0x${"ab".repeat(32)}` } : answer
  })
  await height()
  await waitUntil(() => source.providers().every(({ head }) => head), { what: "the first comparison", everyMs: 5 })
  pass(3, [second])
  await follows(203)
  expect(await source.hashesByProvider([200], { signal })).toMatchObject([{ hashes: [chain.hash(200)] }])
})

test("with a single node a head that stands still is named by its age, and is not left", async () => {
  const { source, pass, height } = await start(1)
  await height()
  expect(source.providers()[0]!.head).toMatchObject({ height: 200, fault: null })
  pass(19, [])
  await height()
  expect(source.providers()[0]!.head?.fault).toBeNull()
  pass(2, [])
  await height()
  expect(source.providers()[0]!.head).toMatchObject({ height: 200, fault: "frozen", left: false })
})

test("a node that answers slowly does not delay the head of the one that is followed", async () => {
  const { source, servers, height } = await start(2)
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { answer } = servers[1]!
  servers[1]!.answer = async (...request) => {
    await held
    return answer(...request)
  }
  expect(await height()).toBe(200)
  expect(await height()).toBe(200)
  expect(source.providers().map(({ head }) => head?.height)).toEqual([200, undefined])
  release()
})
