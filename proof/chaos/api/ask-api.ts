// Asks the API as a client does that waits while its server is away. Only 2xx and the answers that are documented for a
// moment in which a store cannot be read come back; anything else breaks a promise.

import { pause } from "../../../test/support/wait-until.js"

interface ApiMeta {
  readonly data_watermark: string | null
  readonly coverage: readonly { readonly from: string; readonly to: string }[]
  readonly next_cursor: string | null
  readonly partial: boolean
}

export interface ApiAnswer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: whatever the route answers.
  readonly data: any
  readonly meta: ApiMeta
  readonly error?: { readonly code: string; readonly details: Readonly<Record<string, string>> }
}

/** A server that starts knows no chain yet; raw and app may disagree for a moment; a database may be away. */
const passing = [
  "NOT_FOUND:this process serves no chain",
  "ROLLBACK_IN_PROGRESS",
  "DATABASE_UNREACHABLE",
  "OVERLOADED",
]
const againMs = 20

/** Undefined: it was told to give up. */
export async function askApi(
  url: string,
  { signal, mayFail = [] }: { readonly signal: AbortSignal; readonly mayFail?: readonly string[] },
): Promise<ApiAnswer | undefined> {
  while (!signal.aborted) {
    let response: Response
    let text: string
    try {
      response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]) })
      text = await response.text()
    } catch {
      // Killed, or not there yet.
      await pause(againMs)
      continue
    }
    const answer = { status: response.status, ...JSON.parse(text) } as ApiAnswer & { error?: { message: string } }
    if (response.ok) return answer
    const { code = "none", message = "" } = answer.error ?? {}
    if (mayFail.includes(code) && !message.startsWith("this process serves no chain")) return answer
    if (!passing.some((one) => `${code}:${message}`.startsWith(one)))
      throw new Error(`${url} answered ${response.status}: ${text.slice(0, 300)}`)
    await pause(againMs)
  }
  return undefined
}
