// A thing that was found, in one line.

import type { ReactNode } from "react"
import { AddressMark } from "../parts/address-mark"
import { formatNumber, plural } from "../parts/format-number"
import { shorten } from "../parts/hash"
import { plainText } from "../parts/plain-text"
import styles from "./found-text.module.css"
import type { Found } from "./search-query"

export function FoundText({ found }: { readonly found: Found }): ReactNode {
  const { type, hash, address, block_height: height, transfer_count: transfers } = found
  const [name, symbol] = [plainText(found.name ?? "", 40), plainText(found.symbol ?? "", 14)]
  const label = plainText(found.label ?? "", 40)
  return (
    <span className={styles.line}>
      <span className={styles.type}>{type}</span>
      {address !== null && <AddressMark address={address} />}
      {label !== "" && <bdi>{label}</bdi>}
      {name !== "" && name !== label && <bdi>{name}</bdi>}
      {symbol !== "" && symbol !== name && <bdi className="quiet">{symbol}</bdi>}
      {height !== null && type === "block" && <span>{formatNumber(height)}</span>}
      {(hash ?? address) !== null && <code className={styles.id}>{shorten(hash ?? address ?? "")}</code>}
      {transfers !== null && <span className={styles.side}>{plural(BigInt(transfers), "transfer")}</span>}
    </span>
  )
}
