// Copies a text. The button keeps its place while it says that it did.

import { type ReactNode, useEffect, useState } from "react"
import styles from "./copy-button.module.css"

interface CopyButtonProps {
  readonly text: string
  readonly name: string
  /** Seen below the pointer only, and no stop of the Tab key: the key c does the same. */
  readonly isQuiet?: boolean
}

export function CopyButton({ text, name, isQuiet = false }: CopyButtonProps): ReactNode {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = (): void => {
    navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => undefined,
    )
  }
  return (
    <button
      type="button"
      className={`${styles.copy} ${isQuiet ? styles.quiet : ""}`}
      {...(isQuiet ? { tabIndex: -1 } : {})}
      onClick={copy}
      aria-label={copied ? "Copied" : `Copy ${name}`}
      title={copied ? "Copied" : `Copy ${name}`}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {copied ? <path d="M3 8.5l3.5 3.5L13 4.5" /> : <path d="M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z" />}
      </svg>
    </button>
  )
}
