import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { chainRules, describeRules, ethereumRules, rulesOf } from "./chain-rules.js"

const page = readFileSync(new URL("../../../../docs/reference/chains.md", import.meta.url), "utf8")
const rows = page.split("\n").filter((line) => line.startsWith("| "))

test.each(Object.entries(chainRules))("the rule of chain %s is documented, with what is not checked", (id, rules) => {
  const row = rows.find((line) => new RegExp(`\\| [^|]*\\b${id}\\b[^|]*\\|`).test(line))
  expect(row).toContain(rules.name)
  for (const check of rules.unchecked) expect(row).toContain(`\`${check}\``)
  for (const part of Object.keys(rules.unproven)) expect(row).toContain(part)
  for (const type of rules.opaqueTypes) expect(row).toContain(`0x${type.toString(16)}`)
})

test("what is not checked is said in words, and nothing is said of a chain that is checked in full", () => {
  expect(describeRules(ethereumRules)).toBeUndefined()
  expect(describeRules(rulesOf("1"))).toBeUndefined()
  expect(describeRules(rulesOf("988"))).toBe(
    'not checked on Stable: the check "logOrder", with VERIFY=roots header, ' +
      "with VERIFY=roots transactions of type 0x3f",
  )
  expect(describeRules(rulesOf("42161"))).toContain("receipts below block 22207817")
  expect(describeRules(rulesOf("137"))).toContain("transactions that the chain keeps out of its roots")
})
