// Two tones made of an address's bytes, so that the eye finds it again. Drawn, never loaded.

import type { ReactNode } from "react"
import styles from "./address-mark.module.css"

const byte = (address: string, at: number): number => Number.parseInt(address.slice(2 + at * 2, 4 + at * 2), 16) || 0

export function AddressMark({ address }: { readonly address: string }): ReactNode {
  const [one, other] = [byte(address, 1) * 1.41, byte(address, 9) * 1.41]
  const turn = (byte(address, 17) % 4) * 90
  return (
    <svg className={styles.mark} viewBox="0 0 14 14" aria-hidden="true">
      <g transform={`rotate(${turn} 7 7)`}>
        <rect width="14" height="14" fill={`oklch(72% 0.1 ${one})`} />
        <path d="M14 0v14H0z" fill={`oklch(50% 0.12 ${other})`} />
      </g>
    </svg>
  )
}
