import { once } from "node:events"
import { request as httpRequest, type IncomingMessage } from "node:http"
import fc from "fast-check"
import { fastify } from "fastify"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { type ServedStore, serveStore } from "../../test/support/served-store.js"
import { evmFamily } from "../families/evm/evm-family.js"
import { systemClock } from "../platform/clock.js"
import { type ExportSink, exportList } from "../queries/export-list.js"
import type { ListResource } from "../queries/resource.js"
import { CsvExports } from "./csv-export.js"
import { csvCell, csvLine } from "./csv-text.js"

/** The cells of a file as RFC 4180 has them. */
function parse(text: string): string[][] {
  const lines: string[][] = []
  let line: string[] = []
  let at = 0
  while (at < text.length) {
    const [, quoted, bare] = /^(?:"((?:[^"]|"")*)"|([^,\r\n"]*))(?=,|\r\n)/.exec(text.slice(at))!
    line.push(quoted?.replaceAll('""', '"') ?? bare!)
    at += quoted === undefined ? bare!.length : quoted.length + 2
    if (text[at] === ",") at += 1
    else {
      lines.push(line)
      line = []
      at += 2
    }
  }
  return lines
}

describe("a cell", () => {
  test("never begins like a formula, and keeps numbers and text exact", () => {
    const hostile = fc.oneof(
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.constantFrom(
        "=1+1",
        "+1-1",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        " =1",
        "＝1+1",
        "a;=1",
        'a",=1',
        "-",
        "=",
        "\n@x",
      ),
    )
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 4 }), (cells) => {
        const [line] = parse(csvLine(cells))
        expect(line).toHaveLength(cells.length)
        for (const [at, cell] of line!.entries()) {
          expect(cell === cells[at] || cell === `'${cells[at]}`).toBe(true)
          if (!/^-?\d+(\.\d+)?$/.test(cell)) expect(cell).not.toMatch(/^\s*[=+\-@＝＋－＠]/u)
        }
      }),
    )
    expect(csvLine([-5, "-115792089237316195423570985008687907853", null, true, "0xab"])).toBe(
      "-5,-115792089237316195423570985008687907853,,true,0xab\r\n",
    )
    // Where a semicolon separates cells, none of them may begin inside of this one.
    expect(csvCell("a;=1")).toBe('"a;=1"')
  })
})

describe("a list as CSV", () => {
  let served: ServedStore
  beforeAll(async () => {
    served = await serveStore(livelyBlocks({ seed: 21, from: 0, to: 60 }))
    await served.store.raw.query("update raw.chain_state set head_height = 59, finalized_height = 40")
  }, 60_000)
  afterAll(() => served.close())

  test.each([
    "blocks",
    "transactions?order=asc",
    "accounts/0x0101010101010101010101010101010101010101/ft-transfers",
    "tokens?sort=holders",
    "stats/daily",
    "tables/ft_holdings",
    "blocks?from_height=3&to_height=9",
  ])("%s has every row of the pages, with the watermark in a header", async (path) => {
    const rows = await served.walk(`/v1/test/${path}`, 100)
    const { status, text, headers } = await served.get(`/v1/test/${path}${path.includes("?") ? "&" : "?"}format=csv`)
    expect(status).toBe(200)
    expect(headers.get("content-type")).toContain("text/csv")
    expect([headers.get("x-tidemark-watermark"), headers.get("x-tidemark-partial")]).toEqual(["59", "false"])
    const [names, ...lines] = parse(text)
    expect(lines.map((cells) => Object.fromEntries(cells.map((cell, at) => [names![at], cell])))).toEqual(
      rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value ?? "")]))),
    )
    expect(lines.length).toBeGreaterThan(1)
  })

  test("is refused like any list, takes no limit, and has headers alone on HEAD", async () => {
    for (const query of ["limit=5", "cursor=AAAA", "order=up", "from_height=x"])
      expect((await served.get(`/v1/test/blocks?format=csv&${query}`)).status).toBe(400)
    expect((await served.get("/v1/none/blocks?format=csv")).json.error.code).toBe("NOT_FOUND")
    const head = await fetch(`${served.url}/v1/test/blocks?format=csv`, { method: "HEAD" })
    expect([head.status, head.headers.get("x-tidemark-watermark")]).toEqual([200, "59"])
  })

  const listAt = (path: string) => evmFamily.resources.find((one) => one.path === path) as ListResource
  const all = { values: {}, order: undefined, from: undefined, to: undefined }

  /** Pages of 10 rows, with something done after the second. */
  async function exported(path: string, meanwhile: () => Promise<unknown>, values = {}): Promise<number> {
    let pages = 0
    let rowCount = 0
    const sink: ExportSink = {
      begin: () => undefined,
      write: async (rows) => {
        rowCount += rows.length
        if (++pages === 2) await meanwhile()
      },
    }
    await exportList(served.chain, listAt(path), { ...all, values }, { sink, pageRows: 10 })
    return rowCount
  }

  test("breaks off when blocks of it are rolled back or derived again, and goes on when others are", async () => {
    const { raw, app } = served.store
    const rollback = (from: number) =>
      raw.query(
        `insert into raw.rollbacks (id, epoch, removed) values (gen_random_uuid(), 1, '[${from},)');
         update raw.chain_state set chain_epoch = 1`,
      )
    const undo = () => raw.query("delete from raw.rollbacks; update raw.chain_state set chain_epoch = 0")
    await expect(exported("/blocks", () => rollback(55))).rejects.toMatchObject({ code: "CURSOR_ROLLED_BACK" })
    await undo()
    expect(await exported("/blocks", () => rollback(60))).toBe(60)
    await undo()
    const cover = (heights: string) =>
      app.query("update app.coverage set heights = $1 where worker_type = 'evm_worker'", [heights])
    await expect(exported("/transactions", () => cover("{[0,50)}"))).rejects.toMatchObject({
      code: "CURSOR_ROLLED_BACK",
    })
    // Heights that are covered meanwhile are not in it: its header has said so.
    const short = await exported("/transactions", () => cover("{[0,60)}"))
    await cover("{[0,60)}")
    const { rows } = await app.query("select 1 from app.evm_transactions where block_height < 50")
    expect(short).toBe(rows.length)
  })

  test("of state is of one snapshot", async () => {
    const { app } = served.store
    const before = (await app.query("select 1 from app.daily_stats")).rows.length
    const list = { ...listAt("/stats/daily") }
    let pages = 0
    const sink: ExportSink = {
      begin: () => undefined,
      write: async (rows) => {
        pages += rows.length
        await app.query("update app.daily_stats set event_rows = event_rows")
        await app.query(
          "insert into app.daily_stats (day, event_rows) values ('1999-01-01', 1) on conflict do nothing",
        )
      },
    }
    await exportList(served.chain, list, all, { sink, pageRows: 2 })
    await app.query("delete from app.daily_stats where day = '1999-01-01'")
    expect(pages).toBe(before)
    const late = exportList(served.chain, list, all, { sink, pageRows: 2, snapshotMs: -1 })
    await expect(late).rejects.toMatchObject({ code: "QUERY_TOO_LARGE" })
    await app.query("delete from app.daily_stats where day = '1999-01-01'")
  })
})

describe("a file", () => {
  let close: () => unknown = () => undefined
  afterEach(() => close())

  /** Served by a server of its own; each page is 100 kB. */
  async function serve(run: (sink: ExportSink) => Promise<void>): Promise<{ get(): Promise<IncomingMessage> }> {
    const app = fastify()
    const exports = new CsvExports()
    app.get("/file", (request, reply) =>
      exports.send(reply, request, { name: "file", columns: ["a"], clock: systemClock, run }),
    )
    const url = await app.listen({ host: "127.0.0.1", port: 0 })
    close = () => app.close()
    return {
      get: async () => {
        const [response] = await once(httpRequest(`${url}/file`).end(), "response")
        return response as IncomingMessage
      },
    }
  }
  const pageOf = () => [{ a: "x".repeat(100_000) }]

  test("that cannot be finished ends with an error at the client", async () => {
    const { get } = await serve(async (sink) => {
      sink.begin({ watermark: "1", partial: false })
      await sink.write(pageOf())
      throw new Error("rolled back")
    })
    const response = await get()
    const [error] = await once(response.resume(), "error")
    expect(error).toMatchObject({ code: "ECONNRESET" })
    expect(response.complete).toBe(false)
  })

  test("is written no faster than it is read, and stops when its reader has gone", async () => {
    let pages = 0
    let ended: unknown
    const { get } = await serve(async (sink) => {
      sink.begin({ watermark: null, partial: true })
      try {
        for (; pages < 10_000; pages++) await sink.write(pageOf())
      } catch (error) {
        ended = error
        throw error
      }
    })
    const response = await get()
    expect(response.headers["x-tidemark-watermark"]).toBeUndefined()
    response.once("error", () => undefined)
    await once(response, "readable")
    await expect.poll(async () => pages).toBeGreaterThan(0)
    response.destroy()
    await expect.poll(() => ended).toBeInstanceOf(Error)
    expect(pages).toBeLessThan(1_000)
  })

  test("waits its turn: there are four at a time", async () => {
    let finish: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      finish = resolve
    })
    const { get } = await serve(async (sink) => {
      sink.begin({ watermark: "1", partial: false })
      await held
    })
    const open = [await get(), await get(), await get(), await get()]
    const fifth = await get()
    expect(fifth.statusCode).toBe(429)
    fifth.resume()
    finish()
    for (const one of open) await once(one.resume(), "end")
    expect((await get()).statusCode).toBe(200)
  })
})
