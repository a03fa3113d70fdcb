// What the code base promises of itself: imports point one way, and core code takes its clock and randomness from outside.

import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { describe, expect, test } from "vitest"

const root = resolve(import.meta.dirname, "..")
const source = join(root, "src")

// Left to right as data flows; a folder may import itself and what is named here.
const mayImport: Record<string, readonly string[]> = {
  domain: [],
  platform: ["domain"],
  postgres: ["domain", "platform"],
  source: ["domain", "platform"],
  coordination: ["domain", "platform", "postgres"],
  raw: ["domain", "platform", "postgres", "source", "coordination"],
  workers: ["domain", "platform", "postgres", "coordination", "raw"],
  indexes: ["domain", "platform", "postgres", "source", "coordination", "workers"],
  rollback: ["domain", "platform", "postgres", "source", "coordination", "raw", "workers", "indexes"],
  verify: [
    ...["domain", "platform", "postgres", "source", "coordination", "raw", "workers", "indexes", "rollback"],
  ],
  status: ["domain", "platform", "postgres", "coordination", "raw", "workers"],
  api: ["domain", "platform", "postgres", "coordination", "raw", "status"],
  demo: ["domain", "platform"],
  roles: [
    ...["domain", "platform", "postgres", "source", "coordination", "raw", "workers", "indexes", "rollback"],
    ...["verify", "status", "api", "demo"],
  ],
  cli: [
    ...["domain", "platform", "postgres", "source", "coordination", "raw", "workers", "indexes", "rollback"],
    ...["verify", "status", "api", "demo", "roles"],
  ],
  "config.ts": ["platform", "workers"],
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    return entry.isDirectory() ? filesBelow(path) : path.endsWith(".ts") ? [path] : []
  })
}

const files = filesBelow(source).filter((path) => !path.endsWith(".test.ts"))
const room = (path: string): string => relative(source, path).split("/")[0]!

/** The SQL in a file: what stands in template literals and strings that begin like a statement. */
const statements = (path: string): string =>
  [...readFileSync(path, "utf8").matchAll(/["`](\s*(?:select|set|begin|with|update|insert)\b[^"`]*)["`]/gi)]
    .map(([, sql]) => sql)
    .join(";\n")

describe("the house", () => {
  test("every folder of src is in the table", () => {
    expect([...new Set(files.map(room))].sort()).toEqual(Object.keys(mayImport).sort())
  })

  test("imports point one way", () => {
    const wrong: string[] = []
    for (const path of files) {
      for (const [, target] of readFileSync(path, "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
        const from = room(path)
        const to = room(resolve(dirname(path), target!))
        if (to !== from && !mayImport[from]!.includes(to))
          wrong.push(`${relative(root, path)} imports ${target}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test("no file is called index", () => {
    expect(files.filter((path) => /\/index\.ts$/.test(path))).toEqual([])
  })

  test("clock, randomness and timers come from outside, but in the platform", () => {
    const banned = /\b(Date\.now|Math\.random|setTimeout|setInterval|randomUUID|performance\.now)\s*\(/
    const wrong = files
      .filter(
        (path) =>
          room(path) !== "platform" && banned.test(readFileSync(path, "utf8").replace(/\/\/.*$/gm, "")),
      )
      .map((path) => relative(root, path))
    expect(wrong).toEqual([])
  })

  test("locks and settings of a session are used by the embedded server's owner only, so a pooler may sit in between", () => {
    const session =
      /pg_(try_)?advisory_(un)?lock(_shared)?\s*\(|(^|;)\s*set\s+(session\s+)?(?!local)[a-z_]+_[a-z_]+\s*(=|to\b)/
    const wrong = files
      .filter((path) => !path.includes("postgres/embedded/") && session.test(statements(path)))
      .map((path) => relative(root, path))
    expect(wrong).toEqual([])
  })

  test("errors are told apart by code, never by their English text", () => {
    const matching =
      /\.message\s*(\.(includes|match|startsWith|endsWith)\(|===\s*["'`](?!string))|\.test\([a-z]+\.message\)/
    const wrong = files
      .filter((path) => matching.test(readFileSync(path, "utf8")))
      .map((path) => relative(root, path))
    expect(wrong).toEqual([])
  })

  test("the project names no machine and no registry", () => {
    const here = `${dirname(root)}/`
    const named = [
      ...filesBelow(source),
      ...filesBelow(join(root, "test")),
      join(root, "package-lock.json"),
    ].filter((path) => {
      const text = readFileSync(path, "utf8")
      return text.includes(here) || /"resolved": *"https?:/.test(text)
    })
    expect(named.map((path) => relative(root, path))).toEqual([])
  })
})
