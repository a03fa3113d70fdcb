// Runs named tests in a copy of the tree, and says how each went.

import { spawn } from "node:child_process"
import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import type { NamedTest } from "./bug.js"

export interface TestOutcome {
  readonly passed: number
  readonly failed: number
  /** The first line of the first failure. */
  readonly said: string
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly title: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

const timeoutMs = 300_000
/** A title stands for itself, %s in it for anything. */
const pattern = (title: string): string => title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("%s", ".*")

export async function runTests(
  directory: string,
  tests: readonly NamedTest[],
): Promise<ReadonlyMap<string, TestOutcome>> {
  const output = join(directory, "report.json")
  await rm(output, { force: true })
  const files = [...new Set(tests.map(({ file }) => file))]
  const titles = [...new Set(tests.map(({ title }) => pattern(title)))].join("|")
  const vitest = join(directory, "node_modules", "vitest", "vitest.mjs")
  const args = [vitest, "run", ...files, "-t", titles, "--reporter=json", `--outputFile=${output}`]
  const child = spawn(process.execPath, args, { cwd: directory, stdio: "ignore", timeout: timeoutMs })
  await new Promise((resolve) => child.on("exit", resolve))
  const report = JSON.parse(await readFile(output, "utf8")) as Report
  const results = report.testResults.flatMap(({ assertionResults }) => assertionResults)
  return new Map(
    tests.map(({ title }) => {
      // A test may run for several stores: one that notices is enough.
      const named = new RegExp(`^${pattern(title)}$`)
      const runs = results.filter((result) => named.test(result.title))
      const failed = runs.filter(({ status }) => status === "failed")
      const said = failed[0]?.failureMessages[0]?.split("\n")[0] ?? ""
      return [
        title,
        { passed: runs.filter(({ status }) => status === "passed").length, failed: failed.length, said },
      ]
    }),
  )
}
