// The model stays in step with the code: each of its rules names what keeps it and what tests it, and both exist.

import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { everyRule } from "./config.js"
import { mutations } from "./mutations.js"
import { rules } from "./rules.js"

const root = resolve(import.meta.dirname, "../..")
const read = (file: string): string =>
  existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : ""
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

test("every rule is kept by something that exists", () => {
  const declared = (name: string): RegExp =>
    new RegExp(`\\b(?:function|class|const|constraint)\\s+${escaped(name)}\\b`)
  const wrong = Object.entries(rules).filter(
    ([
      ,
      {
        keptBy: [file, name],
      },
    ]) => !declared(name).test(read(file)),
  )
  expect(wrong.map(([rule, { keptBy }]) => `${rule}: ${keptBy.join(" ")}`)).toEqual([])
})

test("every rule has tests that exist", () => {
  const titled = (title: string): RegExp => new RegExp(`\\(\\s*"${escaped(title)}"`)
  const wrong = Object.entries(rules).filter(
    ([
      ,
      {
        testedBy: [file, ...titles],
      },
    ]) => titles.some((title) => !titled(title).test(read(file))),
  )
  expect(wrong.map(([rule, { testedBy }]) => `${rule}: ${testedBy.join(" ")}`)).toEqual([])
})

test("every rule is taken away by a mutation", () => {
  const changed = new Set(Object.values(mutations).flatMap(({ rules: taken }) => Object.keys(taken)))
  expect(Object.keys(everyRule).filter((rule) => !changed.has(rule))).toEqual([])
})
