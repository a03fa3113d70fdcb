// The floor below the probe: rows that lie ready in files, one per table and transaction, copied in and committed.

import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { copyTargets } from "./copy-rows.js"
import { Writers } from "./writers.js"

const { values } = parseArgs({
  options: {
    database: { type: "string" },
    directory: { type: "string" },
    transactions: { type: "string" },
    writers: { type: "string", default: "1" },
  },
})
const writers = await Writers.open(values.database!, Number(values.writers))
for (let transaction = 0; transaction < Number(values.transactions); transaction++) {
  const files = copyTargets.map(({ table }) => readFile(join(values.directory!, `${transaction}.${table}`)))
  await writers.write(await Promise.all(files))
}
await writers.end()
