import { execFile } from "node:child_process"
import { setPriority } from "node:os"
import { join, resolve } from "node:path"
import { describe, expect, test } from "vitest"
import { openLaboratory } from "./laboratory.js"
import { useLightAbort } from "./light-abort.js"
import { planOf } from "./plan.js"
import { regressions } from "./regressions.js"
import { simulate } from "./simulate.js"

describe("what once went wrong", () => {
  test.each(regressions.map((one) => [one.title, one.plan] as const))("%s", async (_, plan) => {
    expect((await simulate(await openLaboratory(), plan)).violation).toBeUndefined()
  })
})

test("a seed is run again to the last statement", async () => {
  const laboratory = await openLaboratory()
  const lines: string[][] = []
  for (let i = 0; i < 2; i++) {
    const seen: string[] = []
    await simulate(laboratory, planOf(7), { trace: (line) => seen.push(line) })
    lines.push(seen)
  }
  expect(lines[0]!.length).toBeGreaterThan(500)
  expect(lines[1]).toEqual(lines[0])
}, 60_000)

test("a seed is the same with the light AbortController, to the last statement", async () => {
  const laboratory = await openLaboratory()
  const usual = globalThis.AbortController
  const trace = async (seed: number): Promise<string[]> => {
    const seen: string[] = []
    await simulate(laboratory, planOf(seed), { trace: (line) => seen.push(line) })
    return seen
  }
  for (const seed of [3, 24, 161]) {
    const expected = await trace(seed)
    useLightAbort()
    const seen = await trace(seed).finally(() => {
      globalThis.AbortController = usual
    })
    expect(seen).toEqual(expected)
  }
}, 60_000)

// That they come to pass is counted, in every run of seeds.
test("a seed is no toy", () => {
  for (let seed = 0; seed < 500; seed++) {
    const { processes, blocks, faultyMs, blockMs, crashes, turns, outages } = planOf(seed)
    expect(processes >= 3 && processes <= 6 && blocks + Math.floor(faultyMs / blockMs) >= 200).toBe(true)
    expect(crashes.length >= 2 && turns!.length >= 2 && outages.length >= 1).toBe(true)
  }
})

// As by hand, compiled and in all threads: what the test runner makes of the sources is several times as slow. 10,000 and
// more are run with `npm run sim -- --seeds 10000`.
test("1,500 seeds hold every invariant, and meet what the protocol is for", async () => {
  const root = resolve(import.meta.dirname, "../..")
  const args = [join(root, "scripts", "sim.mjs"), "--seeds", "1500"]
  const said = await new Promise<string>((done, fail) => {
    const options = { cwd: root, maxBuffer: 1 << 26 }
    const child = execFile(process.execPath, args, options, (error, stdout, stderr) =>
      error ? fail(new Error(`${stdout}\n${stderr}`)) : done(stdout),
    )
    // It keeps virtual time; those beside it keep real time, and come first.
    if (child.pid !== undefined) setPriority(child.pid, 10)
  })
  console.log(said)
}, 3_600_000)
