// npm run procedures -- [name…]: does what docs/guides/maintain.md tells operators to do, with its own commands,
// and checks what came of it. Needs an installed PostgreSQL with its server and client programs.

import { deriveAppElsewhere } from "./derive-app-elsewhere.js"
import { Guide } from "./guide.js"
import { moveApp } from "./move-app.js"
import { replaceSecrets } from "./replace-secrets.js"
import { restoreBaseBackup } from "./restore-base-backup.js"
import { restoreDump } from "./restore-dump.js"
import { restoreTwoDumps } from "./restore-two-dumps.js"
import { rollUpgrade } from "./roll-upgrade.js"
import { Site } from "./site.js"

const procedures: Readonly<Record<string, (site: Site) => Promise<string>>> = {
  "restore-dump": restoreDump,
  "restore-two-dumps": restoreTwoDumps,
  "restore-base-backup": restoreBaseBackup,
  "move-app": moveApp,
  "derive-app-elsewhere": deriveAppElsewhere,
  "roll-upgrade": rollUpgrade,
  "replace-secrets": replaceSecrets,
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in procedures))
if (unknown.length > 0) {
  console.error(`usage: npm run procedures -- [${Object.keys(procedures).join(" | ")}]…`)
  process.exit(2)
}
let site: Site | undefined
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => void site?.close().finally(() => process.exit(1)))
const guide = new Guide("docs/guides/maintain.md")
for (const [name, procedure] of Object.entries(procedures)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const began = performance.now()
  site = await Site.open(guide)
  try {
    const said = await procedure(site)
    console.log(`${name}: ${said}; ${((performance.now() - began) / 1_000).toFixed(0)} s in all`)
  } finally {
    await site.close()
  }
}
// The last section says how to start this.
const left = guide.unused().filter((block) => !block.startsWith("Try them"))
if (asked.length === 0 && left.length > 0) throw new Error(`nobody tried: ${left.join(", ")}`)
