// Contracts that say of themselves whatever may break a database, a terminal or a page, and amounts as large as they get.

import assert from "node:assert/strict"
import { createChain } from "../../../test/chain/synthetic-chain.js"
import { compareAll } from "../compare.js"
import { healWithinMs } from "../heal-within.js"
import type { Scenario } from "../scenario.js"

const keptBytes = 65_536
const word = (value: number): string => value.toString(16).padStart(64, "0")
/** As the ABI encodes a string, of any bytes. */
const abi = (bytes: Buffer): string =>
  `0x${word(32)}${word(bytes.length)}${bytes.toString("hex").padEnd(Math.ceil(bytes.length / 32) * 64, "0")}`

const names: Readonly<Record<string, string>> = {
  NUL: abi(Buffer.from("a\0b\u0000c")),
  "lone surrogates": abi(Buffer.from([0x61, 0xed, 0xa0, 0x80, 0xed, 0xbf, 0xbf, 0x62])),
  "bad UTF-8": abi(Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0xf0, 0x9f, 0x98])),
  "1 MB": abi(Buffer.alloc(1_000_000, "A")),
  HTML: abi(Buffer.from("<script>alert(1)</script><img src=x onerror=alert(1)>")),
  bidi: abi(Buffer.from("USD\u202eCDSU\u2066\u2069\u200f\u061c")),
  "control characters": abi(Buffer.from("\u001b[2J\u0007\r\n\u0085\u2028")),
  SQL: abi(Buffer.from("'; drop table app.token_metadata; --\\")),
  "a length that lies": `0x${word(32)}${"f".repeat(64)}${"41".repeat(32)}`,
  "an offset that lies": `0x${"f".repeat(64)}${word(1)}${"41".repeat(32)}`,
  "no ABI at all": "0xdeadbeef",
  "uint256 max": `0x${"f".repeat(64)}`,
}
const kinds = Object.keys(names)
const selectors = ["0x06fdde03", "0x95d89b41", "0x313ce567"]
const identity = `0x${"0".repeat(39)}4`
// What is shown to people: a line, without anything that steers a terminal or turns the direction of writing.
const unfit = /[\p{Cc}\p{Cs}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\u2028\u2029]/u

interface EthCall {
  readonly to?: string
  readonly data?: string
}

export const hostileMetadata: Scenario = {
  name: "hostile-metadata",
  fault: `contracts whose names are ${kinds.length} kinds of hostile, and amounts of 2^256 - 1`,
  count: { quick: 1, full: 10 },
  async run(scene) {
    const blocks = scene.count * 100
    const chain = createChain({
      seed: scene.seed,
      blocks,
      transactionsPerBlock: 5,
      logsPerBlock: 12,
      holders: 200,
    })
    const node = await scene.tamperingNode(() => ({ chain, head: blocks }))
    const answerOf = (contract: string): string =>
      names[kinds[Number.parseInt(contract.slice(-4), 16) % kinds.length]!]!
    node.tamper = ({ method, params }, result) => {
      if (method === "eth_getBlockReceipts") return largestAmounts(result)
      const [call] = (params ?? []) as EthCall[]
      if (method !== "eth_call" || !call?.to) return undefined
      if (call.to === identity) return "0x01"
      return selectors.includes(call.data ?? "") ? answerOf(call.to.toLowerCase()) : undefined
    }
    const postgres = await scene.postgres()
    const stage = await scene.stage({ postgres, rpcUrl: node.url, roles: "ingest,work" })
    const began = performance.now()
    stage.start()
    await stage.finish(blocks + 1, healWithinMs({ blocks }))
    const waiting = () =>
      stage.derived.rows(
        `select 1 from app.metadata_subjects full join app.token_metadata using (contract_address) where status is distinct from 'answered'`,
      )
    await stage.until(async () => (await waiting()).length === 0, {
      what: "all contracts asked",
      // One that could not be asked is asked again after a minute.
      timeoutMs: healWithinMs({ blocks: 0, otherMs: 60_000 }),
    })
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    const stored = await stage.derived.rows<
      Record<"contract" | "raw", string> & { name: string | null; symbol: string | null; truncated: boolean }
    >(
      `select '0x' || encode(contract_address, 'hex') as contract, '0x' || encode(name_raw, 'hex') as raw, name, symbol, truncated from app.token_metadata`,
    )
    const met = new Set<string>()
    for (const { contract, raw, name, symbol, truncated } of stored) {
      const said = answerOf(contract)
      met.add(kinds.find((kind) => names[kind] === said)!)
      assert.equal(raw, said.slice(0, 2 + keptBytes * 2), contract)
      assert.equal(truncated, said.length > 2 + keptBytes * 2)
      for (const text of [name, symbol])
        assert.ok(
          text === null || (!unfit.test(text) && text.length <= 256),
          `${contract} is shown as ${JSON.stringify(text)}`,
        )
    }
    assert.ok(met.size >= Math.min(kinds.length, stored.length) / 2, `only ${[...met].join(", ")} were met`)
    const [most] = await stage.derived.rows<{ n: number }>(
      `select count(*)::int4 as n from app.ft_transfers where amount = 2::numeric ^ 256 - 1`,
    )
    assert.ok(most!.n > 0, "no amount was as large as they get")
    const compared = await compareAll(stage, { against: { postgres, rpcUrl: node.url }, head: blocks })
    return {
      ...{
        times: stored.length,
        compared: `${compared}; ${stored.length} names kept byte for byte`,
        recovery: `no stall: done in ${seconds} s`,
      },
      facts: { blocks, contracts: stored.length, "kinds met": met.size, "largest amounts": most!.n },
    }
  },
}

/** A bloom does not cover a log's data, so the block still passes its checks. */
function largestAmounts(result: unknown): unknown {
  const receipts = result as { logs: { data: string; logIndex: string }[] }[]
  for (const log of receipts.flatMap(({ logs }) => logs))
    if (log.data.length === 66 && Number(log.logIndex) % 3 === 0) log.data = `0x${"f".repeat(64)}`
  return receipts
}
