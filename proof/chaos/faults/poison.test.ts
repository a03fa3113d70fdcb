import { beforeAll, describe, expect, it } from "vitest"
import type { TidemarkProcess } from "../../../test/support/tidemark-process.js"
import { patienceMs, waitUntil } from "../../../test/support/wait-until.js"
import type { Stage } from "../stage.js"
import { configWith, poison } from "../worker-config.js"
import { FaultFixture } from "./fault-fixture.js"

const blocks = 200
const heights = { thrower: 40, spinner: 70, hoarder: 100 }

const poisoned = configWith([
  { name: "thrower", before: poison.throws(heights.thrower) },
  { name: "spinner", before: poison.spins(heights.spinner) },
  { name: "hoarder", before: poison.hoards(heights.hoarder) },
  { name: "downstream", dependencies: ["thrower"] },
])
const cured = configWith([
  ...[{ name: "thrower" }, { name: "spinner" }, { name: "hoarder" }],
  { name: "downstream", dependencies: ["thrower"] },
])

const fixture = new FaultFixture({ story: true })
let stage: Stage

beforeAll(async () => {
  const node = await fixture.drivenNode({ blocks, transactionsPerBlock: 3, logsPerBlock: 4 })
  stage = await fixture.stage({
    ...{ rpcUrl: node.url, roles: "ingest,work", config: poisoned },
    env: {
      ...{ RANGE_SIZE: "50", WORKER_DEADLINE_MS: "4000", WORKER_MEMORY_MB: "96", MAX_ATTEMPTS: "2" },
      // Long enough for a busy machine: a lease that expires costs every worker of the thread an attempt.
      ...{ LEASE_TTL_MS: "6000", HEAD_LEASE_TTL_MS: "6000", REAP_INTERVAL_MS: "2000" },
    },
  })
})

const said = ({ lines }: TidemarkProcess): string => lines.map(({ msg }) => msg).join("\n")
const all = `{[0,${blocks + 1})}`
const without = (height: number) => `{[0,${height}),[${height + 1},${blocks + 1})}`

// One story: what is isolated first is cured at the end.
describe("a worker that fails on a block", () => {
  it("has that block taken out, alone, whether it throws, spins or hoards memory", async () => {
    const began = performance.now()
    stage.start()
    const expected = {
      ...{ thrower: without(heights.thrower), spinner: without(heights.spinner) },
      ...{ hoarder: without(heights.hoarder), downstream: without(heights.thrower) },
    }
    await waitUntil(
      async () => {
        const coverage = await stage.derived.coverage()
        return (
          Object.entries(coverage).every(
            ([worker, covered]) => covered === (expected[worker as keyof typeof expected] ?? all),
          ) && Object.keys(coverage).length > 10
        )
      },
      { what: "everything but the poisoned blocks", timeoutMs: 2 * patienceMs },
    ).catch(async (error) => {
      throw new Error(JSON.stringify(await stage.derived.coverage()) + (await stage.describe()), {
        cause: error,
      })
    })
    // A thread that is ended for a worker's fault is back at once: the others do not wait for the block to be tried again.
    const ends = stage.members[0]!.lines.filter(({ msg }) => msg.startsWith("a thread ended"))
    expect(ends.map(({ crashes }) => crashes)).toEqual(ends.map(() => 1))
    expect(ends.length).toBeGreaterThan(1)
    console.info(`three poisoned blocks were alone after ${Math.round(performance.now() - began)} ms`)
  })

  it("is DEAD there after its tries, with the reason and the height, and nobody else is", async () => {
    await waitUntil(
      async () => {
        const leases = await stage.derived.leases()
        return leases.length === 3 && leases.every(({ status }) => status === "DEAD")
      },
      { what: "three blocks DEAD" },
    ).catch(async (error) => {
      throw new Error(JSON.stringify(await stage.derived.leases()), { cause: error })
    })
    const leases = await stage.derived.leases()
    expect(leases.map(({ worker, from, to, attempt, code }) => ({ worker, from, to, attempt, code }))).toEqual(
      Object.entries(heights).map(([worker, height]) => ({
        ...{ worker, from: height, to: height + 1, attempt: 2, code: "WORKER_FAILED" },
      })),
    )
    expect(leases.map(({ error }) => error)).toEqual([
      expect.stringContaining("no such pool in block 40"),
      expect.stringContaining("did not return within 4000 ms"),
      expect.stringMatching(/took more than 96 MB|did not return within 4000 ms/),
    ])
    // Given up in a thread, by the process of a thread that was ended, or by the reaper: it is loud every time.
    const [member] = stage.members
    const { url } = await member!.line(({ msg }) => msg === "listening")
    for (const [worker, height] of Object.entries(heights)) {
      await member!.line((line) => line.level === "fatal" && line["worker"] === worker && line["height"] === height)
      const died = new RegExp(`^tidemark_blocks_died_total\\{chain="[^"]+",worker="${worker}"\\} 1$`, "m")
      await expect.poll(async () => (await fetch(`${url}/metrics`)).text()).toMatch(died)
    }
    const errors = await stage.derived.errors()
    // More than one of a worker where a busy machine let a deadline pass before the memory was full.
    const blamed = new Set(errors.map(({ worker, height, resolved }) => `${worker} ${height} ${resolved}`))
    expect([...blamed]).toEqual(Object.entries(heights).map(([worker, height]) => `${worker} ${height} false`))
    for (const name of Object.keys(heights)) {
      const tries = errors.filter(({ worker }) => worker === name).reduce((sum, { seen }) => sum + seen, 0)
      expect(tries, name).toBeGreaterThanOrEqual(2)
    }
    expect(errors[0]!.message).toContain("no such pool in block 40")
  })

  it("leaves the tables of all others as the checker has them", async () => {
    await stage.check()
    const [row] = await stage.derived.rows("select count(*)::int as n from app.downstream_blocks")
    expect(row).toEqual({ n: blocks })
  })

  it("is named by status, with block and reason", async () => {
    const status = stage.run(["status"])
    expect(await status.exit).toBe(0)
    for (const [worker, height] of Object.entries(heights))
      expect(said(status)).toMatch(new RegExp(`block ${height}\\s+${worker}, 2 attempts`))
    expect(said(status)).toContain("DEAD_BLOCK")
  })

  it("is done with a retry once it is cured, and its errors are resolved", async () => {
    for (const member of stage.members) expect(await member.end("SIGTERM")).toBe(0)
    await stage.setConfig(cured)
    const retry = stage.run(["leases", "retry", "--all-dead"])
    expect(await retry.exit, said(retry) + retry.errors.join("\n")).toBe(0)
    stage.start()
    await stage.derivedTo(blocks + 1)
    expect(await stage.derived.leases()).toEqual([])
    // At least one each: a slow machine may end the same worker once for its time and once for its memory.
    const errors = await stage.derived.errors()
    expect(errors.length).toBeGreaterThanOrEqual(3)
    expect(errors.filter(({ resolved }) => !resolved)).toEqual([])
    const [row] = await stage.derived.rows("select count(*)::int as n from app.downstream_blocks")
    expect(row).toEqual({ n: blocks + 1 })
  })
})
