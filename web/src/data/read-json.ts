// An answer as it is, of routes that the client does not have or would parse, with the errors of the client.

import { TidemarkError } from "tidemark/client"

interface Refusal {
  readonly error?: { readonly code?: string; readonly message?: string; readonly details?: Record<string, unknown> }
}

export const readJson = async <T>(path: string, signal: AbortSignal): Promise<T> =>
  (await (await readAnswer(path, signal)).json()) as T

export async function readAnswer(path: string, signal: AbortSignal): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, { signal, headers: { accept: "application/json" } })
  } catch (cause) {
    signal.throwIfAborted()
    throw new TidemarkError("the server cannot be reached", { code: "UNREACHABLE", status: 0, cause })
  }
  const { status } = response
  if (response.ok) return response
  const { error } = (await response.json().catch(() => ({}))) as Refusal
  const code = error?.code ?? "BAD_ANSWER"
  throw new TidemarkError(error?.message ?? `the server answered ${status}`, { code, status, details: error?.details })
}
