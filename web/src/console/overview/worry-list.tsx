// What to look at first, the worst on top.

import { Link } from "@tanstack/react-router"
import { type ReactNode, useMemo } from "react"
import { useChain } from "../../app/chain-context"
import { Panel } from "../../parts/panel"
import { plainText } from "../../parts/plain-text"
import { rankWorries } from "../graph/rank-worries"
import type { Worker } from "../graph/worker-state"
import styles from "./worry-list.module.css"

const most = 8

export function WorryList({ workers }: { readonly workers: readonly Worker[] | undefined }): ReactNode {
  const chain = useChain()
  const worries = useMemo(() => rankWorries(workers ?? []), [workers])
  return (
    <Panel
      title="Look at this first"
      quiet={worries.length > most ? `the worst ${most} of ${worries.length}` : undefined}
    >
      {worries.length === 0 ? (
        <p className={styles.none}>{workers ? "Nothing needs you. Every worker is where it can be." : "\u00a0"}</p>
      ) : (
        <ol className={styles.list}>
          {worries.slice(0, most).map(({ worker, words, isBlocked }) => (
            <li key={worker}>
              <Link to="/console/$chain/work" params={{ chain }} search={{ worker }}>
                <span className={`${styles.dot} ${isBlocked ? styles.blocked : ""}`} aria-hidden="true" />
                <b>{worker}</b>
                <span className={styles.words}>{plainText(words, 160)}</span>
              </Link>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}
