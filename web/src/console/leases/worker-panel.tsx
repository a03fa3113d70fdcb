// The one worker that is shown, with all that one may do to it.

import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Fragment, type ReactNode } from "react"
import { statusQuery } from "../../data/status-query"
import { Facts } from "../../parts/facts"
import { formatNumber, plural } from "../../parts/format-number"
import { Panel } from "../../parts/panel"
import { plainText } from "../../parts/plain-text"
import { ActButton } from "../acts/act-button"
import { heldBy } from "../graph/held-by"
import { rawIngester } from "../graph/raw-ingester"
import type { Worker } from "../graph/worker-state"
import { rangeWords } from "../map/map-words"
import { retryHeight } from "./block-acts"
import type { Ground } from "./dead-acts"
import { RangeCounts } from "./range-counts"
import styles from "./work-page.module.css"
import { limitWords, limitWorker, pauseWorker, rederiveHeights, resumeWorker } from "./worker-acts"

export function WorkerPanel({ ground, worker }: { readonly ground: Ground; readonly worker: Worker }): ReactNode {
  const { worker: name, watermark_height: mark, lag_blocks: lag } = worker
  const isRaw = name === rawIngester
  const skipped = useSkipped(ground.chain, name)
  return (
    <Panel
      title={name}
      quiet={worker.paused ? "paused" : undefined}
      side={
        <span className={`${styles.acts} ${styles.all}`}>
          {!isRaw &&
            (worker.paused ? (
              <ActButton act={() => resumeWorker(ground, worker)}>Resume</ActButton>
            ) : (
              <ActButton act={() => pauseWorker(ground, worker)}>Pause</ActButton>
            ))}
          {!isRaw && <ActButton act={() => limitWorker(ground, worker)}>Limit</ActButton>}
          {!isRaw && <ActButton act={() => rederiveHeights(ground, worker)}>Derive again</ActButton>}
          <ActButton act={() => retryHeight(ground, name, skipped)}>Retry a block</ActButton>
        </span>
      }
    >
      <Facts
        facts={[
          {
            name: "Complete to",
            value: `${mark === null ? "no block" : formatNumber(mark)}${lag ? `, ${plural(lag, "block")} behind` : ""}`,
          },
          { name: "Ranges", value: <RangeCounts leases={worker.leases} /> },
          {
            name: "Paused",
            value: worker.paused ? plainText(worker.paused_reason ?? "without a reason given", 500) : undefined,
          },
          { name: "Limit", value: isRaw ? undefined : limitWords(worker.concurrency) },
          {
            name: "Skipped",
            value: worker.skipped_blocks > 0 ? `${plural(worker.skipped_blocks, "block")}: ${skipped}` : undefined,
          },
          {
            name: "Depends on",
            value: worker.dependencies.length > 0 ? <Names ground={ground} names={worker.dependencies} /> : undefined,
          },
          { name: "Dependents", value: <Waiting ground={ground} name={name} /> },
          { name: "Tables", value: worker.tables.length > 0 ? <code>{worker.tables.join(", ")}</code> : undefined },
        ]}
      />
    </Panel>
  )
}

/** The first of the ranges that somebody skipped. */
function useSkipped(chain: string, name: string): string {
  const { data } = useQuery(statusQuery(chain))
  const ranges = data?.workers.find(({ worker }) => worker === name)?.skipped ?? []
  const shown = ranges.slice(0, 20).map(({ from, to }) => rangeWords({ from: Number(from), to: Number(to) }))
  return `${shown.join(", ")}${ranges.length > shown.length ? ", …" : ""}`
}

function Waiting({ ground, name }: { readonly ground: Ground; readonly name: string }): ReactNode {
  const dependents = heldBy(name, ground.workers)
  return dependents.length === 0 ? "none" : <Names ground={ground} names={dependents} />
}

function Names({ ground, names }: { readonly ground: Ground; readonly names: readonly string[] }): ReactNode {
  return names.map((worker, at) => (
    <Fragment key={worker}>
      {at > 0 && ", "}
      <Link to="/console/$chain/work" params={{ chain: ground.chain }} search={{ worker }}>
        {worker}
      </Link>
    </Fragment>
  ))
}
