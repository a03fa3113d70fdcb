import { expect, it } from "vitest"
import { settingsFile } from "./server-settings.js"

const gigabyte = 1024 ** 3

it.each([
  [1, "64MB"],
  [2, "256MB"],
  [8, "512MB"],
  [64, "1024MB"],
])("with %s GB of memory the server shares %s", (gigabytes, shared) => {
  expect(settingsFile(gigabytes * gigabyte)).toContain(`shared_buffers = '${shared}'\n`)
})
