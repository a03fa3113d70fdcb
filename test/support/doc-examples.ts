// The examples of a document, so that tests run what readers copy.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"

const root = resolve(import.meta.dirname, "../..")

/** Where the documents say that a process listens. */
const documented = "http://127.0.0.1:8080"

/** The blocks of one language, in their order, with the address of the test's own server. */
export function examplesOf(path: string, { language, url }: { language: string; url: string }): string[] {
  const text = readFileSync(join(root, path), "utf8")
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))]
  return blocks.map(([, code]) => code!.replaceAll(documented, url))
}

/** What `curl` would be given. */
export const curlsOf = (example: string): string[] =>
  [...example.matchAll(/curl .*?'(http[^']+)'/g)].map(([, url]) => url!)

/** Imports code as a module of this project, where its packages are. */
export async function importExample<T>(name: string, code: string): Promise<T> {
  const directory = join(root, ".cache", "examples")
  mkdirSync(directory, { recursive: true })
  const file = join(directory, `${name}-${process.pid}.mjs`)
  writeFileSync(file, code)
  return (await import(pathToFileURL(file).href)) as T
}
