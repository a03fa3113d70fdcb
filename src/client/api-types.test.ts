// The client's types are those of the routes: a wrong name or type in a program that uses it is an error.

import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { describeClientTypes } from "../../test/support/describe-client-types.js"

const file = join(import.meta.dirname, "api-types.generated.ts")

test("api-types.generated.ts is what the routes say; `npm run schema` writes it again", async () => {
  const text = await describeClientTypes()
  if (process.env["UPDATE_SCHEMA"]) writeFileSync(file, text)
  expect(readFileSync(file, "utf8")).toBe(text)
})
