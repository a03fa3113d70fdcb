// A Chromium for the tests of the pages: the system's, or the one that apt brings. Without either the tests say what is missing.

import { spawnSync } from "node:child_process"
import { accessSync, constants } from "node:fs"

const places = [
  ...["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/usr/bin/google-chrome-stable"],
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
]

function installed(): string | undefined {
  return [process.env["CHROMIUM"] ?? "", ...places].find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

export function findChromium(): string | undefined {
  const found = installed()
  if (found) return found
  if (process.getuid?.() === 0) {
    spawnSync("apt-get", ["install", "-y", "--no-install-recommends", "chromium"], {
      stdio: "ignore",
      timeout: 240_000,
    })
  }
  const path = installed()
  if (!path)
    console.warn("SKIPPED: the pages were not tested in a browser. Install Chromium, or name one in CHROMIUM.")
  return path
}
