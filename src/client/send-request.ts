// One request: its URL, its headers, and refusals as a TidemarkError.

import { TidemarkError } from "./tidemark-error.js"

export interface RequestOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch
}

export interface SentRequest {
  readonly method?: "GET" | "POST"
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/** Throws when there is no answer, or one that refuses. An abort throws the signal's own reason. */
export async function sendRequest(
  { url, headers, fetch }: RequestOptions,
  path: string,
  { method = "GET", body, headers: more = {}, signal }: SentRequest = {},
): Promise<Response> {
  let response: Response
  try {
    response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...more },
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
    })
  } catch (cause) {
    signal?.throwIfAborted()
    throw new TidemarkError(`${url} cannot be reached`, { code: "UNREACHABLE", status: 0, cause })
  }
  if (response.ok) return response
  throw await refusalOf(response)
}

export async function jsonOf<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T
  } catch (cause) {
    throw new TidemarkError("the answer is no JSON", { code: "BAD_ANSWER", status: response.status, cause })
  }
}

interface Refusal {
  readonly error?: { readonly code?: string; readonly message?: string; readonly details?: Record<string, unknown> }
}

async function refusalOf(response: Response): Promise<TidemarkError> {
  const { status } = response
  const { error } = await jsonOf<Refusal>(response).catch((): Refusal => ({}))
  const message = error?.message ?? `the server answered ${status}`
  return new TidemarkError(message, { code: error?.code ?? "BAD_ANSWER", status, details: error?.details })
}

/** Undefined values are left out; lists are repeated. */
export function queryText(values: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) query.append(name, String(one))
  }
  const text = query.toString()
  return text === "" ? "" : `?${text}`
}
