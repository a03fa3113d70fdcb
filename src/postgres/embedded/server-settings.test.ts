import { expect, test } from "vitest"
import { settingsFile } from "./server-settings.js"

const gigabyte = 1024 ** 3

test.each([
  [0.25, "64MB"],
  [1, "128MB"],
  [2, "256MB"],
  [6, "768MB"],
  [16, "2048MB"],
  [64, "2048MB"],
])("of %d GB of memory the server shares %s", (memory, shared) => {
  const settings = settingsFile({
    memoryBytes: memory * gigabyte,
    freeDiskBytes: 100 * gigabyte,
    version: 18,
  })
  expect(settings).toContain(`\nshared_buffers = '${shared}'\n`)
})

test.each([
  [1, "2048MB"],
  [40, "4096MB"],
  [500, "8192MB"],
])("of a disk with %d GB free the log takes about %s", (free, log) => {
  const settings = settingsFile({ memoryBytes: 8 * gigabyte, freeDiskBytes: free * gigabyte, version: 18 })
  expect(settings).toContain(`\nmax_wal_size = '${log}'\n`)
})
