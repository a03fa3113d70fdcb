// An act of an operator: what a person is told before it, what it asks for, and how it is done. A section describes its acts
// like this and opens them (act-context.ts); the dialog, the token, errors and the audit row are the same for all.

import type { ReactNode } from "react"

export type ActValues = Readonly<Record<string, string>>

export interface ActField {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly initial?: string
  readonly longest?: number
  /** Whether only digits make sense. */
  readonly isNumber?: boolean
}

export interface ActProgress {
  readonly done: number
  readonly total: number
}

interface ActRun {
  /** Aborted when a person stops it: what was asked for is still answered, and nothing more is asked. */
  readonly signal: AbortSignal
  onProgress(progress: ActProgress): void
}

export interface Act {
  readonly title: string
  /** What the button says that does it. */
  readonly button: string
  /** Grave: data are missing or gone afterwards. */
  readonly isGrave?: boolean
  /** What happens. */
  readonly does: ReactNode
  /** Which blocks and workers it concerns. */
  readonly concerns: ReactNode
  /** What comes of it, without anybody doing more. */
  readonly follows?: ReactNode
  /** Whether and how it is taken back. */
  readonly undo: ReactNode
  readonly fields?: readonly ActField[]
  /** What is wrong with the values; undefined if nothing is. */
  readonly faultOf?: (values: ActValues) => string | undefined
  /** The same in a shell, without `npx`. */
  readonly commandOf?: (values: ActValues) => string
  /** Its name in the audit log. */
  readonly audited: string
  /** Returns what was done, in a sentence. */
  readonly run: (values: ActValues, run: ActRun) => Promise<string>
}

/** Optional wherever a route takes one. */
export const reasonField: ActField = {
  ...{ name: "reason", label: "Reason", hint: "optional; the audit log keeps it", longest: 500 },
}
