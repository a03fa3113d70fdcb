import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, test } from "vitest"

test("compiling the contracts again gives the committed file, byte for byte", async () => {
  const script = fileURLToPath(new URL("../../scripts/compile-contracts.mjs", import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [script, "--stdout"], { maxBuffer: 2 ** 26 })
  expect(stdout === (await readFile(new URL("contracts.generated.ts", import.meta.url), "utf8"))).toBe(true)
})
