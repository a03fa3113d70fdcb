import { describe, expect, test } from "vitest"
import { sampleDone, sampleProvider, sampleStatus } from "../../test/support/status-sample.js"
import { VirtualClock } from "../../test/support/virtual-clock.js"
import { IndexerError } from "../platform/errors.js"
import type { Logger } from "../platform/logger.js"
import { createMetrics } from "../platform/metrics.js"
import type { ChainStatus } from "./chain-status.js"
import { exportStatus } from "./export-status.js"
import { StallDoctor } from "./stall-doctor.js"

function setUp() {
  const clock = new VirtualClock()
  const metrics = createMetrics()
  const said: string[] = []
  const note = (level: string) => (fields: object, message: string) =>
    said.push(`${level} ${(fields as { cause?: string }).cause ?? "-"} ${message}`)
  const logger: Logger = {
    debug: note("debug"),
    info: note("info"),
    warn: note("warn"),
    error: note("error"),
    fatal: note("fatal"),
    child: () => logger,
  }
  let next: ChainStatus | Error = sampleStatus()
  const doctor = new StallDoctor({
    chain: "demo",
    read: async () => {
      if (next instanceof Error) throw next
      return next
    },
    clock,
    logger,
    stallAfterMs: 60_000,
    onDiagnosis: (diagnosis, status) => exportStatus(metrics, { chain: "demo", status, diagnosis }),
  })
  const look = async (status: ChainStatus | Error, afterMs = 2_000) => {
    next = status
    clock.advance(afterMs)
    await doctor.runOnce()
    return doctor.diagnosis()
  }
  const gauge = async (name: string, labels: string) => {
    const text = await metrics.registry.metrics()
    return text
      .split("\n")
      .find((line) => line.startsWith(`${name}{`) && line.includes(labels))
      ?.split(" ")
      .at(-1)
  }
  return { doctor, look, said, gauge }
}

const away = (movedAgoMs: number) =>
  sampleStatus({ providers: [sampleProvider({ state: "open" })], workForMs: null }, { movedAgoMs })
const still = (movedAgoMs: number) => sampleStatus({ workForMs: null }, { movedAgoMs })

describe("StallDoctor", () => {
  test("a stall is named when it begins, when its cause changes and when it is over, each once", async () => {
    const { look, said, gauge } = setUp()
    expect((await look(sampleStatus())).state).toBe("ok")
    expect((await look(still(59_000), 59_000)).state).toBe("ok")
    expect(await look(still(62_000), 3_000)).toMatchObject({ state: "stalled", cause: "UNKNOWN" })
    await look(still(64_000))
    expect(await look(away(66_000))).toMatchObject({ state: "stalled", cause: "NODE_UNREACHABLE" })
    expect(await gauge("tidemark_stall", 'cause="NODE_UNREACHABLE"')).toBe("1")
    await look(away(68_000))
    expect((await look(sampleStatus())).state).toBe("ok")
    expect(await gauge("tidemark_stall", 'cause="NODE_UNREACHABLE"')).toBe("0")
    expect(said.map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
      "warn UNKNOWN",
      "warn NODE_UNREACHABLE",
      "info -",
    ])
  })

  test("old coverage is no stall before work was seen for as long", async () => {
    const { look, doctor } = setUp()
    expect((await look(still(86_400_000))).state).toBe("ok")
    expect((await look(still(86_400_000), 60_000)).state).toBe("ok")
    expect((await look(still(86_400_000), 1)).state).toBe("stalled")
    // All done: the time starts over with the next work.
    await look(sampleStatus({}, sampleDone))
    expect(doctor.workForMs()).toBeNull()
    expect((await look(still(86_400_000))).state).toBe("ok")
    expect(doctor.workForMs()).toBe(0)
  })

  test("an unavailable database is named at once, with the last status kept", async () => {
    const { look, doctor, said, gauge } = setUp()
    await look(sampleStatus())
    const outage = new IndexerError("DATABASE_UNREACHABLE", "The database db:5432/raw cannot be reached")
    expect(await look(outage)).toMatchObject({ state: "stalled", cause: "DATABASE_UNREACHABLE" })
    await look(outage)
    expect(doctor.lastStatus()).toBeDefined()
    expect(await gauge("tidemark_database_up", "demo")).toBe("0")
    expect(await gauge("tidemark_watermark_height", "raw_ingester")).toBe("599")
    await look(sampleStatus())
    expect(await gauge("tidemark_database_up", "demo")).toBe("1")
    expect(said).toHaveLength(2)
  })

  test("a bug is not taken for an outage", async () => {
    const { look } = setUp()
    await expect(look(new TypeError("oops"))).rejects.toThrow("oops")
  })
})
