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
])("with %d GB of memory, shared_buffers is %s", (memory, shared) => {
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
])("with %d GB of free disk, max_wal_size is %s", (free, log) => {
  const settings = settingsFile({ memoryBytes: 8 * gigabyte, freeDiskBytes: free * gigabyte, version: 18 })
  expect(settings).toContain(`\nmax_wal_size = '${log}'\n`)
})
