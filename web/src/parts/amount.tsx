// An amount of base units: short to read, exact on hover and when copied. `aligned` puts the points of a column below each other.

import type { ReactNode } from "react"
import styles from "./amount.module.css"
import { formatAmount } from "./format-amount"
import { plainText } from "./plain-text"

interface AmountProps {
  readonly units: string
  /** Null: the contract has not said. */
  readonly decimals: number | null
  readonly symbol?: string | null | undefined
  readonly aligned?: boolean
}

export function Amount({ units, decimals, symbol, aligned = false }: AmountProps): ReactNode {
  const { whole, fraction, exact } = formatAmount(units, decimals)
  const unit = symbol ? plainText(symbol, 12) : decimals === null && !aligned ? "base units" : ""
  return (
    <data className={styles.amount} value={exact} title={`${exact} ${symbol ? plainText(symbol, 40) : unit}`.trim()}>
      {whole}
      <span className={aligned ? styles.aligned : undefined}>{fraction}</span>
      {unit && <span className={styles.unit}> {unit}</span>}
    </data>
  )
}
