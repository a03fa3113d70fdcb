// What was sent along, as bytes in words of 32.

import type { ReactNode } from "react"
import { CopyButton } from "../parts/copy-button"
import { formatNumber } from "../parts/format-number"
import { Panel } from "../parts/panel"
import styles from "./input-panel.module.css"
import type { Transaction } from "./transaction-facts"

/** A page of a megabyte of input is of no use to anybody. */
const shownBytes = 8_192

export function InputPanel({ transaction }: { readonly transaction: Transaction | undefined }): ReactNode {
  const input = transaction?.input ?? "0x"
  const bytes = input.length / 2 - 1
  return (
    <Panel
      title="Input"
      quiet={transaction && `${formatNumber(bytes)} bytes`}
      side={bytes > 0 && <CopyButton text={input} name="input" />}
    >
      {bytes === 0 ? (
        <p className={styles.none}>{transaction ? "Nothing was sent along." : "\u00a0"}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also with the keys.
        <pre className={styles.words} tabIndex={0}>
          {wordsOf(input.slice(0, 2 + shownBytes * 2)).join("\n")}
        </pre>
      )}
      {bytes > shownBytes && <p className={styles.none}>The first {formatNumber(shownBytes)} bytes. Copy has all.</p>}
    </Panel>
  )
}

/** A method's id, then its arguments. */
function wordsOf(input: string): string[] {
  const digits = input.slice(2)
  const start = digits.length % 64 === 8 || digits.length > 8 ? 8 : 0
  const words = start > 0 ? [digits.slice(0, start)] : []
  for (let at = start; at < digits.length; at += 64) words.push(digits.slice(at, at + 64))
  return words
}
