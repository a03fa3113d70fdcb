import { describe, expect, test } from "vitest"
import { type CreateLoggerOptions, createLogger } from "./create-logger.js"
import { Terminal } from "./terminal.js"

const now = () => new Date(2026, 0, 2, 21, 4, 11)

function capture(options: Partial<CreateLoggerOptions> = {}) {
  const lines: string[] = []
  const logger = createLogger({ level: "info", format: "json", write: (l) => lines.push(l), now, ...options })
  return { lines, logger }
}

describe("createLogger", () => {
  test("a JSON line has an ISO time, the level's name, the message and the fields", () => {
    const { lines, logger } = capture()
    logger.child({ service: "reaper" }).info({ height: 7, big: 5n }, "100 %d done")
    expect(lines).toHaveLength(1)
    expect(lines[0]!.endsWith("\n")).toBe(true)
    expect(JSON.parse(lines[0]!)).toEqual({
      level: "info",
      time: now().toISOString(),
      service: "reaper",
      height: 7,
      big: "5",
      msg: "100 %d done",
    })
  })

  test("lines below the level are not written", () => {
    const { lines, logger } = capture({ level: "warn" })
    logger.info({}, "quiet")
    logger.child({ a: 1 }).debug({}, "quiet")
    logger.fatal({}, "loud")
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(["fatal"])
  })

  test("a field cannot replace level, time or message", () => {
    const { lines, logger } = capture()
    logger.info({ level: "fatal", time: 1, msg: "x" }, "true message")
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: "info", msg: "true message", level_: "fatal" })
    expect(lines[0]!.match(/"msg":/g)).toHaveLength(1)
  })

  test("an error is logged with its message, code and causes, and a cycle is cut", () => {
    const { lines, logger } = capture()
    const loop: Record<string, unknown> = {}
    loop["self"] = loop
    logger.error({ error: new Error("outer", { cause: new Error("inner") }), loop }, "failed")
    const line = JSON.parse(lines[0]!)
    expect(line.error).toMatchObject({ message: "outer", cause: { message: "inner" } })
    expect(line.loop).toEqual({ self: "…" })
  })

  test("a pretty line is short", () => {
    const { lines, logger } = capture({ format: "pretty" })
    logger.child({ service: "history-lane" }).info({ from: 1, note: "two words" }, "stored")
    expect(lines).toEqual(['21:04:11 info  history-lane   stored  from=1 note="two words"\n'])
  })

  test("a hostile text cannot move the cursor in a pretty line", () => {
    const { lines, logger } = capture({ format: "pretty" })
    logger.warn({ error: "\u001b[2Jgone\nnext", "k\u001b": { a: "\u202e" } }, "bad\u001b]0;title\u0007")
    expect(lines[0]!.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u202e]/)
  })
})

describe("Terminal", () => {
  test("lines appear above the live line, which is redrawn", () => {
    const written: string[] = []
    const terminal = new Terminal({ isTTY: true, write: (text) => written.push(text) })
    terminal.line("one")
    terminal.status("50 %")
    terminal.line("two\n")
    terminal.status("")
    terminal.line("three")
    expect(written).toEqual(["one\n", "\r\u001b[2K50 %", "\r\u001b[2Ktwo\n50 %", "\r\u001b[2K", "three\n"])
  })

  test("without a terminal there is no live line", () => {
    const written: string[] = []
    const terminal = new Terminal({ write: (text) => written.push(text) })
    terminal.status("50 %")
    terminal.line("one")
    expect(written).toEqual(["one\n"])
  })
})
