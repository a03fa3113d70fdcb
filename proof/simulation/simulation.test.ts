import { execFile } from "node:child_process"
import { setPriority } from "node:os"
import { join, resolve } from "node:path"
import { describe, expect, test } from "vitest"
import { type Laboratory, openLaboratory } from "./laboratory.js"
import { useLightAbort } from "./light-abort.js"
import { planOf } from "./plan.js"
import { regressions } from "./regressions.js"
import { simulate } from "./simulate.js"

const traceOf = async (laboratory: Laboratory, seed: number): Promise<string[]> => {
  const lines: string[] = []
  await simulate(laboratory, planOf(seed), { trace: (line) => lines.push(line) })
  return lines
}

describe("what once went wrong", () => {
  test.each(regressions.map((one) => [one.title, one.plan] as const))("%s", async (_, plan) => {
    expect((await simulate(await openLaboratory(), plan)).violation).toBeUndefined()
  })
})

test("a seed gives the same run again, to the last statement", async () => {
  const laboratory = await openLaboratory()
  const lines = await traceOf(laboratory, 7)
  expect(lines.length).toBeGreaterThan(500)
  expect(await traceOf(laboratory, 7)).toEqual(lines)
}, 60_000)

test("a seed is the same with the light AbortController, to the last statement", async () => {
  const laboratory = await openLaboratory()
  const usual = globalThis.AbortController
  for (const seed of [3, 24, 161]) {
    const expected = await traceOf(laboratory, seed)
    useLightAbort()
    const seen = await traceOf(laboratory, seed).finally(() => {
      globalThis.AbortController = usual
    })
    expect(seen).toEqual(expected)
  }
}, 60_000)

// Runs of seeds count how many of these happen.
test("a seed is no toy", () => {
  for (let seed = 0; seed < 500; seed++) {
    const { processes, blocks, faultyMs, blockMs, crashes, awaitedReorgs, outages } = planOf(seed)
    expect(processes >= 3 && processes <= 6 && blocks + Math.floor(faultyMs / blockMs) >= 200).toBe(true)
    expect(crashes.length >= 2 && awaitedReorgs.length >= 2 && outages.length >= 1).toBe(true)
  }
})

// Compiled and in all threads: several times as fast as in the test runner.
test("1,500 seeds hold every invariant, and meet what the protocol is for", async () => {
  const root = resolve(import.meta.dirname, "../..")
  const args = [join(root, "scripts", "sim.mjs"), "--seeds", "1500"]
  const said = await new Promise<string>((done, fail) => {
    const options = { cwd: root, maxBuffer: 1 << 26 }
    const child = execFile(process.execPath, args, options, (error, stdout, stderr) =>
      error ? fail(new Error(`${stdout}\n${stderr}`)) : done(stdout),
    )
    // It runs in virtual time. Tests beside it depend on real time and come first.
    if (child.pid !== undefined) setPriority(child.pid, 10)
  })
  console.log(said)
}, 3_600_000)
