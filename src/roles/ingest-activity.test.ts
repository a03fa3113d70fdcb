import { describe, expect, test } from "vitest"
import type { ProviderHealth } from "../source/block-source.js"
import { IngestActivity } from "./ingest-activity.js"
import type { IngestReport } from "./ingest-messages.js"

const provider = (over: Partial<ProviderHealth> = {}): ProviderHealth => ({
  label: "a",
  state: "closed",
  lastError: null,
  lastErrorAtMs: null,
  mismatch: null,
  ...over,
})

const report = (over: Partial<IngestReport> = {}): IngestReport => ({
  type: "report",
  blocks: 0,
  transactions: 0,
  events: 0,
  encodedBytes: 0,
  sourceBytes: 0,
  ranges: 0,
  failures: {},
  dead: {},
  headDelays: [],
  rpc: [],
  providers: [],
  following: false,
  lastFault: null,
  lastStoredAtMs: null,
  ...over,
})

const answered = [{ provider: "a", method: "eth_chainId", code: "ok", calls: 1, bytes: 1, ms: 1 }]

describe("the activity of a process", () => {
  test("is nothing before a thread has reported", () => {
    expect(new IngestActivity().state(7)).toEqual({
      threads: 0,
      followsHead: false,
      providers: [],
      paused: null,
      lastFault: null,
      lastStoredAtMs: null,
      rssBytes: 7,
    })
  })

  test("combines the last reports: the newest fault, the last block stored, whether one follows the head", () => {
    const activity = new IngestActivity()
    activity.paused = "disk"
    const fault = (code: string, atMs: number) => ({ code, message: code, atMs })
    activity.add(0, report({ lastFault: fault("GONE", 99), lastStoredAtMs: 50 }))
    activity.add(0, report({ lastFault: fault("OLD", 10), lastStoredAtMs: 20 }))
    activity.add(1, report({ lastFault: fault("NEW", 30), lastStoredAtMs: 15, following: true }))
    expect(activity.state(0)).toMatchObject({
      threads: 2,
      followsHead: true,
      paused: "disk",
      lastFault: fault("NEW", 30),
      lastStoredAtMs: 20,
    })
  })
})

describe("a provider", () => {
  const stateOf = (activity: IngestActivity) => activity.state(0).providers

  test("is healthy when one thread reaches it, even if others do not", () => {
    const activity = new IngestActivity()
    activity.add(0, report({ providers: [provider({ state: "open", lastError: "away" })] }))
    activity.add(1, report({ providers: [provider()], rpc: answered }))
    expect(stateOf(activity)).toEqual([provider()])
  })

  test("is unavailable when only idle threads call it healthy", () => {
    const away = provider({ state: "open", lastError: "away", lastErrorAtMs: 5 })
    const activity = new IngestActivity()
    activity.add(0, report({ providers: [away] }))
    activity.add(1, report({ providers: [provider()] }))
    expect(stateOf(activity)).toEqual([away])
  })

  test("is not called healthy by a thread without an answer for twenty reports", () => {
    const away = provider({ state: "open" })
    const activity = new IngestActivity()
    activity.add(0, report({ providers: [away] }))
    activity.add(1, report({ providers: [provider()], rpc: answered }))
    for (let i = 0; i < 19; i++) activity.add(1, report({ providers: [provider()] }))
    expect(stateOf(activity)).toEqual([provider()])
    activity.add(1, report({ providers: [provider()] }))
    expect(stateOf(activity)).toEqual([away])
  })

  test("is not called healthy after a failed answer, or one of another provider", () => {
    const away = provider({ state: "half-open" })
    const activity = new IngestActivity()
    activity.add(0, report({ providers: [away] }))
    const useless = [
      { ...answered[0]!, code: "RPC_TIMEOUT" },
      { ...answered[0]!, provider: "b" },
    ]
    activity.add(1, report({ providers: [provider()], rpc: useless }))
    expect(stateOf(activity)).toEqual([away])
  })

  test("on the wrong chain is so for all threads", () => {
    const wrong = provider({ mismatch: "5" })
    const activity = new IngestActivity()
    activity.add(0, report({ providers: [provider()], rpc: answered }))
    activity.add(1, report({ providers: [wrong] }))
    expect(stateOf(activity)).toEqual([wrong])
  })

  test("has the head that the thread at the head knows, whichever thread has the best state", () => {
    const head = { height: 7, ageMs: 1, stillMs: 1, fault: null, left: false }
    const activity = new IngestActivity()
    activity.add(0, report({ providers: [provider({ state: "half-open", head })] }))
    activity.add(1, report({ providers: [provider()], rpc: answered }))
    expect(stateOf(activity)).toEqual([provider({ head })])
  })

  test("has the best state that a thread reports, and of equals the one with the newest error", () => {
    const activity = new IngestActivity()
    activity.add(0, report({ providers: [provider({ state: "open", lastErrorAtMs: 9 })] }))
    activity.add(1, report({ providers: [provider({ state: "half-open", lastErrorAtMs: 1 })] }))
    activity.add(2, report({ providers: [provider({ state: "half-open", lastErrorAtMs: 2 })] }))
    expect(stateOf(activity)).toEqual([provider({ state: "half-open", lastErrorAtMs: 2 })])
  })
})
