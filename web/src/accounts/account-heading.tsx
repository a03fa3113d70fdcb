// What an address is: a contract, and the token or the collection that it is as well. On one line, so that nothing moves when
// that is known.

import type { ReactNode } from "react"
import { TokenName } from "../parts/token-name"
import type { Found } from "../search/search-query"
import styles from "./account-heading.module.css"

interface AccountHeadingProps {
  readonly title: string
  /** What the search has for the address. */
  readonly known: readonly Found[]
}

export const AccountHeading = ({ title, known }: AccountHeadingProps): ReactNode => (
  <span className={styles.heading}>
    {title}
    {known.map(({ type, address, name, symbol }) =>
      address !== null && (type === "token" || type === "collection") ? (
        <span key={type} className={styles.as}>
          {type}{" "}
          <TokenName
            contract={address}
            name={name}
            symbol={symbol}
            kind={type === "token" ? "tokens" : "collections"}
          />
        </span>
      ) : null,
    )}
  </span>
)
