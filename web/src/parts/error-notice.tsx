// An answer that did not come, in words: what happened and what to do.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { TidemarkError } from "tidemark/client"
import { formatNumber } from "./format-number"
import { Notice } from "./notice"

interface ErrorNoticeProps {
  readonly error: Error
  readonly onRetry?: () => void
}

export function ErrorNotice({ error, onRetry }: ErrorNoticeProps): ReactNode {
  const { title, todo } = wordsFor(error)
  return (
    <Notice title={title} tone="failed">
      <p>{todo}</p>
      {error instanceof TidemarkError && error.code === "CURSOR_ROLLED_BACK" ? (
        <p>
          <Link to="." search={((before: object) => ({ ...before, cursor: undefined })) as never}>
            Go to the newest
          </Link>
        </p>
      ) : (
        onRetry && (
          <button type="button" onClick={onRetry}>
            Try again
          </button>
        )
      )}
    </Notice>
  )
}

function wordsFor(error: Error): { readonly title: string; readonly todo: string } {
  if (!(error instanceof TidemarkError)) return { title: "This page failed", todo: error.message }
  switch (error.code) {
    case "UNREACHABLE":
      return { title: "Tidemark cannot be reached", todo: "The page asks again by itself. Is the process running?" }
    case "RATE_LIMITED":
      return { title: "Too many requests", todo: "This server limits how often one may ask. Wait a minute." }
    case "ROLLBACK_IN_PROGRESS":
      return { title: "A rollback is in progress", todo: "Blocks are being replaced. This takes a few seconds." }
    case "CURSOR_ROLLED_BACK": {
      const from = error.details["restart_height"]
      const height = typeof from === "string" || typeof from === "number" ? formatNumber(from) : "this page"
      return {
        title: `Blocks from ${height} on were rolled back`,
        todo: "This page listed some of them.",
      }
    }
    case "BAD_REQUEST":
    case "CURSOR_INVALID":
      return { title: "This address does not make sense to the server", todo: error.message }
    default:
      return { title: "The server could not answer", todo: `${error.message} (${error.code})` }
  }
}
