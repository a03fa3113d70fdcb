// npx tsx proof/checker/run.ts <rawUrl> <appUrl> [rpcUrl]: recomputes every derived table from the raw ones, and with a node every raw one from
// its answers; exits with 1 when one is not right. Raw has to be filled from block 0 on.

import { checkDerived } from "./check-derived.js"
import { checkRaw } from "./check-raw.js"
import { formatReport } from "./format-report.js"

const [rawUrl, appUrl, rpcUrl] = process.argv.slice(2)
if (rawUrl === undefined || appUrl === undefined) {
  console.error("usage: npx tsx proof/checker/run.ts <rawUrl> <appUrl> [rpcUrl]")
  process.exit(2)
}
const reports = [
  ...(rpcUrl === undefined ? [] : [await checkRaw({ rawUrl, rpcUrl })]),
  await checkDerived({ rawUrl, appUrl }),
]
for (const report of reports) console.log(formatReport(report))
process.exitCode = reports.every(({ ok }) => ok) ? 0 : 1
