// Everything that was found for a text.

import { useQuery } from "@tanstack/react-query"
import { Link, useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { CompletenessBadge } from "../parts/completeness-badge"
import { ErrorNotice } from "../parts/error-notice"
import { Panel } from "../parts/panel"
import { plainText } from "../parts/plain-text"
import { Page } from "../shell/page"
import { foundLink, keyOfFound } from "./found-link"
import { FoundText } from "./found-text"
import styles from "./search-page.module.css"
import { cleanQuery, searchQuery } from "./search-query"

export function SearchPage(): ReactNode {
  const chain = useChain()
  const { q = "" } = useSearch({ from: "/$chain/search" })
  const { data, error, refetch } = useQuery(searchQuery(chain, cleanQuery(q)))
  const rows = data?.data
  return (
    <Page
      title="Search"
      sub={q === "" ? "Type a height, a hash, an address or the name of a token." : <bdi>{plainText(q)}</bdi>}
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {q !== "" && !error && (
        <Panel title="Found" quiet={rows?.length} side={<CompletenessBadge meta={data?.meta} />}>
          {rows?.length === 0 ? (
            <p className={styles.none}>
              Nothing. Heights, whole hashes, addresses and their beginnings (0xa0b8), names and symbols of tokens and
              collections, and labels are found.
            </p>
          ) : (
            <ul className={styles.found}>
              {rows?.map((found) => {
                const { to, params } = foundLink(chain, found)
                return (
                  <li key={keyOfFound(found)} data-row="">
                    <Link to={to} params={params as never}>
                      <FoundText found={found} />
                    </Link>
                  </li>
                )
              })}
            </ul>
          )}
        </Panel>
      )}
    </Page>
  )
}
