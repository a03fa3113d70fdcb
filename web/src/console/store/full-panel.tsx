// What one can do when the store is nearly full, with the worker that takes most.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../../app/chain-context"
import { formatBytes } from "../../parts/format-bytes"
import { Panel } from "../../parts/panel"
import { plainText } from "../../parts/plain-text"
import styles from "./full-panel.module.css"
import type { StoreTable } from "./store-growth"

export function FullPanel({ tables }: { readonly tables: readonly StoreTable[] }): ReactNode {
  const chain = useChain()
  const most = largestWorker(tables)
  return (
    <Panel title="When it is nearly full" quiet="nothing is lost: what cannot be stored is stored later">
      <ol className={styles.list}>
        <li>
          <b>Give it more room.</b> Enlarge the disk, or move the database to a larger one. The embedded server pauses
          ingestion while fewer than <code>MIN_FREE_DISK</code> bytes are free, and goes on by itself. Your own server
          refuses commits when it is full; they are tried again until there is room.
        </li>
        <li>
          <b>Pause what you can do without.</b> A paused worker's tables stop growing, and those that depend on it
          wait.
          {most && (
            <>
              {" "}
              <Link to="/console/$chain/work" params={{ chain }} search={{ worker: most.worker }}>
                {plainText(most.worker)}
              </Link>{" "}
              takes the most of all that derive: {formatBytes(most.bytes)}
              {most.perDay > 0 && `, ${formatBytes(most.perDay)} more a day`}.
            </>
          )}
        </li>
        <li>
          <b>Drop a worker of your own.</b> Remove it from the config file, stop the processes that derive, and run{" "}
          <code>tidemark workers rederive NAME</code>: its tables are dropped, and the space is free at once.
        </li>
        <li>
          <b>Say how much there is.</b> With <code>DB_CAPACITY_BYTES</code>, this page and the metric{" "}
          <code>tidemark_store_days_to_full</code> count down to it, so that you know weeks before.
        </li>
      </ol>
    </Panel>
  )
}

function largestWorker(tables: readonly StoreTable[]) {
  const sums = new Map<string, { bytes: number; perDay: number }>()
  for (const { store, worker, bytes, bytes_per_day } of tables) {
    if (store !== "app" || worker === null) continue
    const sum = sums.get(worker) ?? { bytes: 0, perDay: 0 }
    sums.set(worker, { bytes: sum.bytes + bytes, perDay: sum.perDay + (bytes_per_day ?? 0) })
  }
  const [first] = [...sums].sort(([, a], [, b]) => b.bytes - a.bytes)
  return first && { worker: first[0], ...first[1] }
}
