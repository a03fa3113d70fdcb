// Runs one named test in a copy of the tree and reports its outcome.

import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import type { NamedTest } from "./bug.js"
import { type Outcome, runProgram } from "./run-program.js"

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly title: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

/** %s in a title matches anything. */
const pattern = (title: string): string => title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("%s", ".*")

export async function runTest(directory: string, [file, title]: NamedTest): Promise<Outcome> {
  const output = join(directory, "report.json")
  await rm(output, { force: true })
  const vitest = join(directory, "node_modules", "vitest", "vitest.mjs")
  const args = [vitest, "run", file, "-t", pattern(title), "--reporter=json", `--outputFile=${output}`]
  await runProgram(args, { directory })
  const report = JSON.parse(await readFile(output, "utf8")) as Report
  const named = new RegExp(`^${pattern(title)}$`)
  // A test may run for several stores: one that notices is enough.
  const runs = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter((result) => named.test(result.title) && result.status !== "skipped" && result.status !== "pending")
  const failed = runs.filter(({ status }) => status === "failed")
  if (runs.length === 0) throw new Error(`${file} has no test ${title}`)
  return { isSound: failed.length === 0, said: failed[0]?.failureMessages[0] ?? "" }
}
