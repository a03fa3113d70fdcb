// What open event streams cost the process that serves them: its memory with 1,000 of them against none, and how long an
// event takes from its commit to the last of them.

import { Connection } from "../../src/postgres/connection.js"
import { EventStream } from "../../test/support/event-stream.js"
import { runTidemark } from "../../test/support/tidemark-process.js"
import { onStop } from "../environment/stop-all.js"
import { rssMb } from "../measure/process-times.js"
import { quantile } from "../measure/statistics.js"
import type { Benchmark } from "./benchmark.js"

/** The memory of a start is garbage in part, which a later measurement no longer sees: so the cost is that between the last two. */
const steps = [1, 1_000, 4_000]
const events = 40
/** Opened at a time: the backlog of a listening socket is 511. */
const atOnce = 50

export const streamsBenchmark: Benchmark = {
  title: "Event streams",
  async run({ postgres, say }) {
    const url = await postgres.freshDatabase("bench_streams")
    const writer = await Connection.open({ url, applicationName: "tidemark bench" })
    for (const schema of ["raw", "app"])
      await writer.query(
        `insert into ${schema}.chain_state (chain_name, chain_id, genesis_hash, start_height) values ('bench', '1', '\\x00', 0)`,
      )
    const env = { RPC_URL: "http://127.0.0.1:1", DB_RAW_URL: url, PORT: "0", API_STREAMS: "5000" }
    const served = runTidemark(["start", "--roles", "serve"], { env })
    const forget = onStop(async () => void (await served.end("SIGKILL")))
    const { url: http } = (await served.line(({ msg }) => msg.startsWith("running"))) as unknown as { url: string }
    const open: EventStream[] = []
    const samples: { readonly streams: number; readonly mb: number; readonly delays: readonly number[] }[] = []
    for (const streams of steps) {
      say(`${streams} streams, ${events} events`)
      while (open.length < streams) {
        const next = Array.from({ length: Math.min(atOnce, streams - open.length) }, () =>
          EventStream.open(`${http}/v1/stream`),
        )
        open.push(...(await Promise.all(next)))
      }
      await ready(open)
      const delays: number[] = []
      await tell(writer, { count: events, open, delays })
      samples.push({ streams, mb: rssMb(served.pid), delays })
    }
    const metrics = await (await fetch(`${http}/metrics`)).text()
    if (!metrics.includes(`tidemark_streams_open ${open.length}\n`)) throw new Error("streams were lost on the way")
    for (const stream of open) stream.close()
    await served.end("SIGTERM")
    forget()
    await writer.end()
    const [, some, many] = samples
    const perThousand = ((many!.mb - some!.mb) / (many!.streams - some!.streams)) * 1_000
    return {
      tables: [
        {
          columns: ["streams", "memory MB", "event p50 ms", "event p99 ms"],
          rows: samples.map(({ streams, mb, delays }) => [
            ...[streams.toLocaleString("en"), mb.toFixed(1)],
            ...[0.5, 0.99].map((q) => quantile(delays, q).toFixed(0)),
          ]),
        },
      ],
      notes: [
        `From ${some!.streams.toLocaleString("en")} to ${many!.streams.toLocaleString("en")} streams, 1,000 more cost ${perThousand.toFixed(0)} MB.`,
        "Resident memory of a process with the role `serve` alone. That with one stream includes garbage of the start, so it is no base to compare with. An event's time is from its commit to its arrival at the last of the streams, whose clients share the machine; the outbox is read every 250 ms.",
      ],
    }
  },
}

/** A stream begins with what comes after it is ready. */
const ready = (open: readonly EventStream[]) =>
  Promise.all(open.map((stream) => stream.until(() => stream.lastEventId !== "")))

/** One event after the other, each when the one before has arrived. */
async function tell(
  writer: Connection,
  { count, open, delays }: { count: number; open: readonly EventStream[]; delays: number[] },
): Promise<void> {
  const heard = open.map(({ events }) => events.length)
  for (let at = 1; at <= count; at++) {
    await writer.query(
      `insert into app.outbox (id, kind, epoch, payload) values (gen_random_uuid(), 'block', 0,
         jsonb_build_object('height', $1::text, 'hash', '0x' || repeat('ab', 32), 'timestamp', now(), 'transaction_count', 50))`,
      [String(at)],
    )
    const committed = performance.now()
    await Promise.all(open.map((stream, i) => stream.until(() => stream.events.length >= heard[i]! + at)))
    delays.push(performance.now() - committed)
  }
}
