// The bugs that can be put back do not rot: what they change still stands in the sources, once, and what catches them exists.

import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { bugs } from "./bugs.js"

const root = resolve(import.meta.dirname, "../..")
const read = (file: string): string =>
  existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : ""

test("every change finds its place in the sources, once", () => {
  const wrong: string[] = []
  for (const [name, { patches }] of Object.entries(bugs)) {
    const texts = new Map<string, string>()
    for (const { file, find, replace } of patches) {
      const text = texts.get(file) ?? read(file)
      if (!file.startsWith("src/") || text.split(find).length !== 2) wrong.push(`${name}: ${file} ${find}`)
      texts.set(
        file,
        text.replace(find, () => replace),
      )
    }
  }
  expect(wrong).toEqual([])
})

test("every bug is caught by a test that exists", () => {
  const suites = readdirSync(join(root, "test/conformance")).map((file) => read(`test/conformance/${file}`))
  const wrong = Object.entries(bugs).filter(
    ([
      ,
      {
        test: { file, title },
      },
    ]) => {
      const texts = [read(file), ...suites]
      return read(file) === "" || !texts.some((text) => text.includes(JSON.stringify(title)))
    },
  )
  expect(wrong.map(([name]) => name)).toEqual([])
})

test("docs/bugs.md has every bug, and no other", () => {
  const rows = [...read("docs/bugs.md").matchAll(/^\| (H\d+) \| `([a-z-]+)` \|/gm)].map(
    ([, hazard, name]) => [name, hazard],
  )
  expect(rows).toEqual(Object.entries(bugs).map(([name, { hazard }]) => [name, hazard]))
})

test("nothing of it is built", () => {
  const build = JSON.parse(read("tsconfig.build.json")) as { include: string[] }
  expect(build.include).toEqual(["src"])
})
