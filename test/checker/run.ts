// npx tsx test/checker/run.ts <rawUrl> <appUrl>: recomputes every derived table; exits with 1 when one is not right.

import { checkDerived } from "./check-derived.js"
import { formatReport } from "./format-report.js"

const [rawUrl, appUrl] = process.argv.slice(2)
if (rawUrl === undefined || appUrl === undefined) {
  console.error("usage: npx tsx test/checker/run.ts <rawUrl> <appUrl>")
  process.exit(2)
}
const report = await checkDerived({ rawUrl, appUrl })
console.log(formatReport(report))
process.exitCode = report.ok ? 0 : 1
