// A hash or an address: short in lists, whole where it is the subject. `data-copy` is what the key c takes; in lists the button
// for it appears below the pointer.

import { Link, type LinkProps } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { CopyButton } from "./copy-button"
import styles from "./hash.module.css"

interface HashProps {
  readonly value: string
  /** What it is, such as "transaction hash". */
  readonly name: string
  readonly to?: LinkProps["to"]
  readonly params?: Record<string, string>
  readonly whole?: boolean
  readonly mark?: ReactNode
}

export const shorten = (value: string): string =>
  value.length > 13 ? `${value.slice(0, 8)}…${value.slice(-4)}` : value

export function Hash({ value, name, to, params, whole = false, mark }: HashProps): ReactNode {
  const text = <code className={whole ? styles.whole : undefined}>{whole ? value : shorten(value)}</code>
  return (
    <span className={whole ? undefined : styles.short} data-copy={value}>
      {mark}
      {to ? (
        <Link to={to} params={params as never} title={whole ? undefined : value}>
          {text}
        </Link>
      ) : (
        <span title={whole ? undefined : value}>{text}</span>
      )}
      <CopyButton text={value} name={name} isQuiet={!whole} />
    </span>
  )
}
