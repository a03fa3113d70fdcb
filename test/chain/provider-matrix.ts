// Providers as they are sold: for each, its limits and what a client gets at best. The test judges them by an injected clock and
// by counting calls, the benchmark by wall time.

import type { ProviderRules } from "./simulated-provider.js"

export interface MatrixEntry {
  readonly name: string
  /** In order of preference. */
  readonly providers: readonly ProviderRules[]
  /** Calls a second, where it is the time that is limited. */
  readonly callsPerSecond?: number
  /** Calls that a block takes, where it is the number of calls; 2 (block and receipts) by default. */
  readonly callsPerBlock?: number
}

const computeUnits = "Your app has exceeded its compute units per second capacity."

export const providerMatrix: readonly MatrixEntry[] = [
  { name: "batches of 3 calls at most", providers: [{ maxBatch: 3 }] },
  { name: "no batches (-32600)", providers: [{ maxBatch: 1 }] },
  { name: "response too large, for each call that does not fit", providers: [{ maxBatchBytes: 30_000 }] },
  {
    name: "archive missing, another provider has it",
    providers: [{ prunedBelow: 1_000_000 }, {}],
  },
  {
    name: "no eth_getBlockReceipts, refused with a code of its own",
    providers: [{ receiptsError: { code: -32000, message: "unsupported" } }],
    callsPerBlock: 2,
  },
  { name: "two nodes behind a load balancer, one 3 blocks behind", providers: [{ lags: [0, 3] }] },
  {
    name: "25 calls/s, -32007 for the request",
    providers: [
      {
        rate: {
          ...{ callsPerSecond: 25, refuses: "request" },
          error: { code: -32007, message: "25/second request limit reached" },
        },
      },
    ],
    callsPerSecond: 25,
  },
  {
    name: "25 calls/s, 429 for each call over it",
    providers: [{ rate: { callsPerSecond: 25, refuses: "entry", error: { code: 429, message: computeUnits } } }],
    callsPerSecond: 25,
  },
  {
    name: "25 calls/s, HTTP 429 with Retry-After",
    providers: [
      {
        rate: {
          ...{ callsPerSecond: 25, refuses: "request", httpStatus: 429, retryAfterS: 1 },
          error: { code: -32005, message: "limit exceeded" },
        },
      },
    ],
    callsPerSecond: 25,
  },
  {
    name: "100 calls/s, said as text for each call over it",
    providers: [
      { rate: { callsPerSecond: 100, refuses: "entry", error: { code: -32000, message: "rate limit exceeded" } } },
    ],
    callsPerSecond: 100,
  },
  {
    name: "100 calls/s, 10 at once, batches of 10 at most",
    providers: [
      {
        maxBatch: 10,
        rate: {
          ...{ callsPerSecond: 100, burst: 10, refuses: "entry" },
          error: { code: -32016, message: "over rate limit" },
        },
      },
    ],
    callsPerSecond: 100,
  },
]
