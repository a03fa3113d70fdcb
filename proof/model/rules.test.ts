// The model stays in step with the code: each of its rules names what implements it and what tests it, and both exist.

import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { everyRule } from "./config.js"
import { mutations } from "./mutations.js"
import { type Rule, rules } from "./rules.js"

const root = resolve(import.meta.dirname, "../..")
const read = (file: string): string => (existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "")
const places = Object.entries(rules).flatMap(([rule, { code, also }]: [string, Rule]) =>
  [code, ...(also ? [also] : [])].map(([file, name, ...lines]) => ({ rule, file, name, lines })),
)
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

test("every rule is kept by something that exists", () => {
  const declared = (name: string): RegExp =>
    new RegExp(`\\b(?:function|class|const|constraint)\\s+${escaped(name)}\\b`)
  const wrong = places.filter(({ file, name }) => !declared(name).test(read(file)))
  expect(wrong.map(({ rule, file, name }) => `${rule}: ${file} ${name}`)).toEqual([])
})

test("the lines that keep a rule are in their file, once", () => {
  // A function often keeps several rules, and would still exist without the line that keeps this one.
  const onOneLine = (text: string): string => text.replace(/(?<!:)\/\/.*$/gm, "").replace(/\s+/g, " ")
  const wrong = places.flatMap(({ rule, file, lines }) => {
    const text = onOneLine(read(file))
    return lines.filter((line) => text.split(line).length !== 2).map((line) => `${rule}: ${file}: ${line}`)
  })
  expect(wrong).toEqual([])
})

test("every rule has tests that exist", () => {
  const titled = (title: string): RegExp => new RegExp(`\\(\\s*"${escaped(title)}"`)
  const wrong = Object.entries(rules).flatMap(
    ([
      rule,
      {
        tests: [file, ...titles],
      },
    ]) => titles.filter((title) => !titled(title).test(read(file))).map((title) => `${rule}: ${file} ${title}`),
  )
  expect(wrong).toEqual([])
})

test("every rule is taken away by a mutation", () => {
  const changed = new Set(Object.values(mutations).flatMap(({ rules: taken }) => Object.keys(taken)))
  expect(Object.keys(everyRule).filter((rule) => !changed.has(rule))).toEqual([])
})
