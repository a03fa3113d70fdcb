// As many requests as some clients can send that wait for each answer before they ask again: what the server can do at most.

import autocannon from "autocannon"
import type { ApiRequests } from "../environment/api-requests.js"
import type { Driven } from "./drive-api.js"

interface SaturateOptions {
  readonly url: string
  readonly clients: number
  readonly seconds: number
  readonly requests: ApiRequests
}

export async function saturateApi({ url, clients, seconds, requests }: SaturateOptions): Promise<Driven> {
  const result = await autocannon({
    ...{ url, connections: clients, duration: seconds, timeout: 30 },
    requests: [{ setupRequest: (request) => ({ ...request, path: requests.next().path }) }],
  })
  const { latency } = result
  return {
    ...{ answered: result["2xx"], failed: result.non2xx + result.errors },
    ...{ p50: latency.p50, p99: latency.p99, p999: latency.p99_9, longest: latency.max },
  }
}
