// What the README shows is true: its worker runs, and its pictures and those of the guides are there.

import { readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { expect, test } from "vitest"
import type { ConfigDefinition } from "../src/config.js"
import { builtInWorkers } from "../src/families/evm/indexes/built-in-workers.js"
import { WorkerRegistry } from "../src/workers/worker-registry.js"
import { blockView } from "./support/block-view.js"
import { examplesOf, importExample } from "./support/doc-examples.js"
import { runExtract } from "./support/run-extract.js"

const root = resolve(import.meta.dirname, "..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const guides = readdirSync(join(root, "docs", "guides")).map((name) => `docs/guides/${name}`)

test("the worker of the README gives the rows that it declares", async () => {
  const [code] = examplesOf("README.md", { language: "ts", url: "" })
  const config = JSON.stringify(join(root, "src", "config.ts"))
  const { default: made } = await importExample<{ default: ConfigDefinition }>(
    "readme",
    code!.replace('"tidemark"', config),
  )
  const [worker] = made.workers!
  expect(() => new WorkerRegistry([...builtInWorkers, worker!])).not.toThrow()
  const block = blockView({ height: 7, transactions: [{ status: 1 }, { status: 0 }, { status: null }] })
  const { failed_transactions } = runExtract(worker!, block)
  expect(failed_transactions).toEqual([
    { block_height: 7, transaction_index: 1, transaction_id: block.transactions[1]!.id },
  ])
})

test.each(["README.md", ...guides])("the pictures of %s are there, in light and in dark, and small", (path) => {
  const shown = [...read(path).matchAll(/<picture>([\s\S]*?)<\/picture>/g)].map(([, inside]) => inside!)
  const files = shown.map((inside) => [...inside.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, file]) => file!))
  for (const [dark, light, ...more] of files) {
    expect([dark, more]).toEqual([light!.replace("-light.png", "-dark.png"), []])
    for (const file of [light!, dark!])
      expect(statSync(resolve(dirname(join(root, path)), file)).size, file).toBeLessThan(250_000)
  }
})
