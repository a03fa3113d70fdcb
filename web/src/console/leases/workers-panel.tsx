// Every worker: how far it is, what it holds, what is wrong with it, and whether somebody has paused it.

import { Link } from "@tanstack/react-router"
import { type ReactNode, useMemo } from "react"
import { type Column, DataList } from "../../parts/data-list"
import { formatNumber, plural } from "../../parts/format-number"
import { Panel } from "../../parts/panel"
import { plainText } from "../../parts/plain-text"
import { ActButton } from "../acts/act-button"
import { StateMark } from "../figures/state-mark"
import { orderWorkers } from "../graph/order-workers"
import { rawIngester } from "../graph/raw-ingester"
import { stateOf, type Worker } from "../graph/worker-state"
import type { Ground } from "./dead-acts"
import { RangeCounts } from "./range-counts"
import { pauseWorker, resumeWorker } from "./worker-acts"

interface WorkersPanelProps {
  readonly ground: Ground
  /** Undefined while they are awaited. */
  readonly workers: readonly Worker[] | undefined
}

export function WorkersPanel({ ground, workers }: WorkersPanelProps): ReactNode {
  const columns = useMemo(() => columnsOf(ground), [ground])
  const rows = useMemo(() => workers && orderWorkers(workers), [workers])
  const paused = workers?.filter((worker) => worker.paused).length ?? 0
  return (
    <Panel title="Workers" quiet={paused > 0 ? `${paused} paused` : "each below those that it depends on"}>
      <DataList
        label="Workers"
        columns={columns}
        rows={rows}
        keyOf={({ worker }) => worker}
        awaited={12}
        empty="No worker has started yet."
      />
    </Panel>
  )
}

const columnsOf = (ground: Ground): readonly Column<Worker>[] => [
  {
    ...{ name: "Worker", lead: true },
    cell: ({ worker }) => (
      <Link to="/console/$chain/work" params={{ chain: ground.chain }} search={{ worker }}>
        {worker}
      </Link>
    ),
  },
  { name: "State", line: "beside", cell: (worker) => <WorkerStateWords worker={worker} /> },
  {
    ...{ name: "Complete to", end: true },
    cell: ({ watermark_height: mark }) => (mark === null ? "no block" : formatNumber(mark)),
  },
  {
    ...{ name: "Newest", end: true, wide: true },
    cell: ({ tip_height: tip }) => (tip === null ? "no block" : formatNumber(tip)),
  },
  {
    ...{ name: "Lag", end: true },
    cell: ({ lag_blocks: lag }) => (lag === null ? "unknown" : formatNumber(lag)),
  },
  { name: "Ranges", line: "beside", cell: ({ leases }) => <RangeCounts leases={leases} /> },
  {
    ...{ name: "Errors", end: true },
    cell: ({ worker, open_errors: open }) =>
      open === 0 ? (
        <span className="quiet">0</span>
      ) : (
        <Link
          to="/console/$chain/incidents"
          params={{ chain: ground.chain }}
          search={{ worker, resolved: "false" }}
          title={plural(open, "open error")}
        >
          {formatNumber(open)}
        </Link>
      ),
  },
  {
    ...{ name: "Limit", end: true },
    cell: ({ concurrency }) =>
      concurrency === null ? <span className="quiet">none</span> : formatNumber(concurrency),
  },
  {
    ...{ name: "Actions", line: "beside" },
    cell: (worker) =>
      worker.worker === rawIngester ? (
        <span className="quiet">cannot be paused</span>
      ) : worker.paused ? (
        <ActButton act={() => resumeWorker(ground, worker)} about={worker.worker}>
          Resume
        </ActButton>
      ) : (
        <ActButton act={() => pauseWorker(ground, worker)} about={worker.worker}>
          Pause
        </ActButton>
      ),
  },
]

const toneOf = { busy: "plain", waiting: "quiet", blocked: "failed" } as const

function WorkerStateWords({ worker }: { readonly worker: Worker }): ReactNode {
  const { paused, paused_reason: reason } = worker
  const state = stateOf(worker)
  if (!paused) return <StateMark tone={toneOf[state]}>{wordsOf(worker)}</StateMark>
  return (
    <span title={reason ? plainText(reason, 500) : undefined}>
      <StateMark tone="partial">{reason ? `paused: ${plainText(reason, 40)}` : "paused"}</StateMark>
    </span>
  )
}

function wordsOf(worker: Worker): string {
  const state = stateOf(worker)
  if (state !== "blocked") return state
  return worker.leases.dead > 0 ? "held back by dead blocks" : "waits to try again"
}
