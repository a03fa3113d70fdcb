// What a browser loads before it shows the first page, by the manifest of the build.

import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"

const built = resolve(import.meta.dirname, "../../dist/web")
const budgetBytes = 130_000
const fontBudgetBytes = 65_000

interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
  readonly assets?: readonly string[]
}

/** A chunk with all that it cannot run without. */
function filesOf(manifest: Readonly<Record<string, Chunk>>, names: readonly string[], seen = new Set<string>()) {
  const files = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) continue
    seen.add(name)
    const { file, imports = [], css = [] } = manifest[name]!
    for (const one of [file, ...css, ...filesOf(manifest, imports, seen)]) files.add(one)
  }
  return files
}

test("the first page loads at most 130 kB, compressed, and three fonts beside it", () => {
  expect(existsSync(join(built, "manifest.json")), "build the pages: npm run build").toBe(true)
  const manifest = JSON.parse(readFileSync(join(built, "manifest.json"), "utf8")) as Record<string, Chunk>
  const files = filesOf(manifest, ["index.html", "src/home/home-page.tsx"])
  const bytes = ["index.html", "theme.js", ...files]
    .map((file) => gzipSync(readFileSync(join(built, file)), { level: 9 }).length)
    .reduce((sum, size) => sum + size, 0)
  expect(files.size).toBeGreaterThan(3)
  expect(bytes).toBeLessThanOrEqual(budgetBytes)
  const fonts = Object.values(manifest)
    .map(({ file }) => file)
    .filter((file) => file.endsWith(".woff2"))
  expect(fonts).toHaveLength(3)
  expect(fonts.reduce((sum, file) => sum + readFileSync(join(built, file)).length, 0)).toBeLessThan(fontBudgetBytes)
})

test("the page names no other origin and has no inline script", () => {
  const page = readFileSync(join(built, "index.html"), "utf8")
  expect(page).not.toMatch(/https?:|\/\/[a-z]/)
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=/)
})
