import { createServer } from "node:http"
import { expect, test } from "vitest"
import { listen } from "../../test/support/listen.js"
import { Answers } from "./answers.js"

test("a stretch without readiness is told once, with its first reason and its length", async () => {
  let lag = 0
  const server = createServer((request, response) => {
    if (request.url === "/status") response.end(JSON.stringify({ chains: [{ lag_blocks: lag }] }))
    else {
      response.statusCode = lag > 10 ? 503 : 200
      response.end(JSON.stringify({ chains: [{ reason: lag > 10 ? `${lag} blocks behind` : null }] }))
    }
  })
  const { url, stop } = await listen(server)
  const said: string[] = []
  let ms = 0
  const answers = new Answers("demo", { say: (text) => said.push(text), passedMs: () => ms })
  try {
    for (const next of [0, 33, 20, 3, 3]) {
      lag = next
      await answers.ask(url)
      ms += 1_000
    }
  } finally {
    await stop()
  }
  expect(said).toEqual(["demo was not ready from 1 to 3 s, 2 answers: 33 blocks behind"])
  expect(answers.facts()).toEqual({
    "demo: uptime": "60.00 % of 5 answers of /ready",
    "demo: not ready": "1 times, 2 s in all, 2 s at most",
    "demo: lag": "p50 3, p99 33 blocks",
    "demo: errors": "0.0000 % of the answers of /status, 0 in all",
  })
})
