// Requests with the admin token, with the errors of the client: what operators do goes through here.

import { TidemarkError } from "tidemark/client"
import { readAdminToken } from "./use-admin-token"

interface Refusal {
  readonly error?: { readonly code?: string; readonly message?: string; readonly details?: Record<string, unknown> }
}

interface AdminRequest {
  readonly method?: "GET" | "POST" | "DELETE"
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** Empty without a token. */
export function adminHeaders(token: string | undefined = readAdminToken()): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

export async function adminFetch<T>(path: string, { method = "GET", body, signal }: AdminRequest = {}): Promise<T> {
  let response: Response
  try {
    response = await fetch(path, {
      method,
      headers: {
        ...{ accept: "application/json", ...adminHeaders() },
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    })
  } catch (cause) {
    signal?.throwIfAborted()
    throw new TidemarkError("the server cannot be reached", { code: "UNREACHABLE", status: 0, cause })
  }
  const { status } = response
  if (response.ok) return (await response.json()) as T
  const { error } = (await response.json().catch(() => ({}))) as Refusal
  const code = error?.code ?? "BAD_ANSWER"
  throw new TidemarkError(error?.message ?? `the server answered ${status}`, { code, status, details: error?.details })
}
