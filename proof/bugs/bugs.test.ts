// The bugs that can be put back do not rot: the text they change is in the sources, once, and what catches them exists.

import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import type { Catcher } from "./bug.js"
import { bugs } from "./bugs.js"
import { isNoticed } from "./is-noticed.js"
import type { Outcome } from "./run-program.js"

const root = resolve(import.meta.dirname, "../..")
const read = (file: string): string => (existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "")

test("every change finds its place in the sources, once", () => {
  const wrong: string[] = []
  for (const [name, { patches }] of Object.entries(bugs)) {
    const texts = new Map<string, string>()
    for (const [file, find, replace] of patches) {
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
  const titles = Object.values(bugs).map((bug) => bug.test)
  const wrong = titles.filter(([file, title]) => {
    const texts = [read(file), ...suites]
    return read(file) === "" || !texts.some((text) => text.includes(JSON.stringify(title)))
  })
  expect(wrong).toEqual([])
})

test("docs/bugs.md has every bug with what notices it, and no other", () => {
  const cells = /^\| (H\d+) \| `([a-z-]+)` \| [^|]+ \| ([^|]+) \|/gm
  const rows = [...read("docs/bugs.md").matchAll(cells)].map(([, hazard, name, by]) => [
    ...[name, hazard, /^(simulation|chaos: `[a-z-]+`)/.exec(by!)?.[0]],
    by!.match(/\b(I\d|fence)\b/g)?.sort() ?? [],
  ])
  const known = Object.entries(bugs).map(([name, { hazard, caughtBy }]) => {
    if (caughtBy.by === "chaos") return [name, hazard, `chaos: \`${caughtBy.scenario}\``, []]
    return [name, hazard, "simulation", [...caughtBy.notices].sort()]
  })
  expect(rows).toEqual(known)
})

test.each<[string, Outcome, Catcher["notices"], boolean]>([
  ["the invariant it names", { isSound: false, said: "seed 3 breaks I4 at 5 ms: gone" }, ["I1", "I4"], true],
  ["another invariant", { isSound: false, said: "seed 3 breaks I9 at 5 ms: I4" }, ["I1", "I4"], false],
  ["seeds that met little", { isSound: false, said: "no seed met fence: it shows less" }, ["fence"], false],
  ["the words it names", { isSound: false, said: "Error\n+ 'I5: it fell'" }, /I5: it fell/, true],
  ["other words", { isSound: false, said: "Error: no server" }, /I5: it fell/, false],
  ["nothing", { isSound: true, said: "I5: it fell" }, /I5: it fell/, false],
])("a run that ends with %s", (_, outcome, notices, isCaught) => {
  expect(isNoticed(outcome, notices)).toBe(isCaught)
})

test("nothing of it is built", () => {
  const build = JSON.parse(read("tsconfig.build.json")) as { include: string[] }
  expect(build.include).toEqual(["src"])
})
