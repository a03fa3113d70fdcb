import { mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { systemRandom } from "../platform/random.js"
import { demoAdminToken } from "./admin-token.js"

test("the demo's token is made once, long enough for any HOST, and readable by its user only", async () => {
  const directory = await mkdtemp(join(tmpdir(), "tidemark-token-"))
  try {
    const made = demoAdminToken({ random: systemRandom }, join(directory, "new"))
    expect(made.token).toMatch(/^[0-9a-f]{64}$/)
    expect((await stat(made.file)).mode & 0o777).toBe(0o600)
    expect(demoAdminToken({ random: systemRandom }, join(directory, "new"))).toEqual(made)
  } finally {
    await rm(directory, { recursive: true })
  }
})
