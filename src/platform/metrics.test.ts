import { describe, expect, test } from "vitest"
import { createMetrics, metricNames } from "./metrics.js"

const counts = {
  blocks: 10,
  transactions: 20,
  events: 30,
  sourceBytes: 40,
  encodedBytes: 50,
  ranges: 1,
  failures: { LEASE_LOST: 2, RPC_TIMEOUT: 1 },
  dead: { raw_ingester: 1 },
  rpc: [
    { provider: "a", method: "eth_getBlockByNumber", code: "ok", calls: 5, bytes: 100, ms: 1_500 },
    { provider: "a", method: "eth_getBlockByNumber", code: "RPC_TIMEOUT", calls: 2, bytes: 0, ms: 500 },
  ],
  headDelays: [0.2],
}

describe("metrics", () => {
  test("the counts of threads are added by chain", async () => {
    const metrics = createMetrics()
    metrics.addIngest("demo", counts)
    metrics.addIngest("demo", counts)
    metrics.addReaped("demo", { expired: 3, holdersEnded: 2 })
    metrics.addDead("demo", { own: 2 })
    metrics.addRollback("demo", { blocks: 12, ms: 700 })
    const text = await metrics.registry.metrics()
    expect(text).toContain('tidemark_blocks_stored_total{chain="demo"} 20')
    expect(text).toContain('tidemark_fence_refusals_total{chain="demo"} 4')
    expect(text).toContain('tidemark_range_failures_total{chain="demo",code="RPC_TIMEOUT"} 2')
    expect(text).toContain('tidemark_rpc_calls_total{chain="demo",provider="a",method="eth_getBlockByNumber"} 14')
    expect(text).toContain('code="RPC_TIMEOUT"} 4')
    expect(text).not.toContain('code="ok"')
    expect(text).toContain('tidemark_rpc_seconds_total{chain="demo",provider="a",method="eth_getBlockByNumber"} 4')
    expect(text).toContain('tidemark_head_delay_seconds_count{chain="demo"} 2')
    expect(text).toContain('tidemark_blocks_died_total{chain="demo",worker="raw_ingester"} 2')
    expect(text).toContain('tidemark_blocks_died_total{chain="demo",worker="own"} 2')
    expect(text).toContain('tidemark_leases_reaped_total{chain="demo"} 3')
    expect(text).toContain('tidemark_rollback_blocks_sum{chain="demo"} 12')
    expect(text).toContain('tidemark_rollback_seconds_bucket{le="1",chain="demo"} 1')
    expect(text).toContain('tidemark_rollback_seconds_count{chain="demo"} 1')
  })

  test("the list of names is that of the registry, and two registries are independent", async () => {
    const metrics = createMetrics()
    const ours = metrics.registry
      .getMetricsAsArray()
      .map(({ name }) => name)
      .filter((name) => !/^tidemark_(process|nodejs)_/.test(name) || name === "tidemark_processes")
    // Requests and streams have a registry of their own, in the thread that serves.
    expect(ours.sort()).toEqual(metricNames().filter((name) => !/^tidemark_(streams|http)_/.test(name)))
    metrics.addIngest("demo", counts)
    expect(await createMetrics().registry.metrics()).not.toContain("demo")
  })

  test("the memory and event loop of the process are included", async () => {
    const text = await createMetrics().registry.metrics()
    expect(text).toContain("tidemark_process_resident_memory_bytes")
    expect(text).toContain("tidemark_nodejs_eventloop_lag_seconds")
  })
})
