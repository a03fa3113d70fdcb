// An error in one line. Opened: the whole message, the transaction, and what was kept of the data. It may be any text.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../../app/chain-context"
import type { RowOf } from "../../data/api-query"
import { formatUtc } from "../../parts/format-time"
import { plainText } from "../../parts/plain-text"
import styles from "./error-message.module.css"

const [short, long] = [120, 2_000]

export function ErrorMessage({ error }: { readonly error: RowOf<"/ops/errors"> }): ReactNode {
  const chain = useChain()
  const { message, transaction_id: hash, raw_data, raw_ref, first_seen_at, last_seen_at, height } = error
  return (
    <details className={styles.error}>
      <summary>{plainText(message, short) || "no message"}</summary>
      <p>{plainText(message, long)}</p>
      <p className="quiet">
        First seen {formatUtc(first_seen_at)}, last {formatUtc(last_seen_at)}.{" "}
        {hash === null ? (
          <Link to="/$chain/blocks/$block" params={{ chain, block: height }}>
            The block
          </Link>
        ) : (
          <Link to="/$chain/transactions/$hash" params={{ chain, hash }}>
            The transaction
          </Link>
        )}
      </p>
      {raw_ref !== null && <p className="quiet">Its data is kept as {plainText(raw_ref, 200)}.</p>}
      {raw_data !== null && <pre>{plainText(raw_data, 8_200)}</pre>}
    </details>
  )
}
