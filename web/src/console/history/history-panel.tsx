// Watermarks, lag and rates over an hour, a day or a month.

import { type ReactNode, useMemo, useState } from "react"
import { useChain } from "../../app/chain-context"
import type { Answer } from "../../data/api-query"
import { ErrorNotice } from "../../parts/error-notice"
import { Panel } from "../../parts/panel"
import { useOps } from "../access/ops-query"
import type { Worker } from "../graph/worker-state"
import styles from "./history-panel.module.css"
import { SeriesPlot } from "./series-plot"

type Series = Answer<"/ops/series">
type SeriesWorker = Series["workers"][number]

const spans = ["hour", "day", "month"] as const
const figures = {
  lag: { name: "Lag", quiet: "blocks behind the head", of: (worker: SeriesWorker) => worker.lag_blocks },
  rate: { name: "Rate", quiet: "blocks a second", of: (worker: SeriesWorker) => worker.blocks_per_second },
  mark: {
    name: "Watermark",
    quiet: "complete up to this height",
    of: (worker: SeriesWorker) => worker.watermark_height.map((height) => (height === null ? null : Number(height))),
  },
} as const

const everyMs = 30_000

export function HistoryPanel({ workers }: { readonly workers: readonly Worker[] | undefined }): ReactNode {
  const [span, setSpan] = useState<(typeof spans)[number]>("hour")
  const [figure, setFigure] = useState<keyof typeof figures>("lag")
  const [marked, setMarked] = useState<string>()
  const { data, error, refetch } = useOps(useChain(), "/ops/series", { span, points: 360 }, { everyMs })
  const { name, quiet, of } = figures[figure]
  const at = useMemo(() => data?.at.map((time) => Date.parse(time) / 1_000), [data])
  // One text, which stays the same while nothing but heights changes.
  const names = workers?.map(({ worker }) => worker).join(" ") ?? ""
  const lines = useMemo(
    () => data && inOrder(data.workers, names).map((worker) => ({ name: worker.worker, values: of(worker) })),
    [data, of, names],
  )
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  return (
    <Panel
      title={name}
      quiet={quiet}
      side={
        <span className={styles.choices}>
          <Choice
            label="Figure"
            names={Object.entries(figures).map(([id, one]) => [id, one.name])}
            chosen={figure}
            onChoose={(id) => setFigure(id as keyof typeof figures)}
          />
          <Choice
            label="Span"
            names={spans.map((one) => [one, one])}
            chosen={span}
            onChoose={(one) => setSpan(one as (typeof spans)[number])}
          />
        </span>
      }
    >
      {at?.length === 0 ? (
        <p className={styles.empty}>
          Nothing is kept yet. A process with the role maintain writes a point every 30 s.
        </p>
      ) : (
        <SeriesPlot at={at} lines={lines} span={span} marked={marked} onMark={setMarked} />
      )}
    </Panel>
  )
}

/** As the other lists have them; what is no worker any more stands last. */
function inOrder(found: readonly SeriesWorker[], names: string): readonly SeriesWorker[] {
  const order = names.split(" ")
  const place = ({ worker }: SeriesWorker): number => (order.includes(worker) ? order.indexOf(worker) : order.length)
  return [...found].sort((a, b) => place(a) - place(b))
}

interface ChoiceProps {
  readonly label: string
  readonly names: readonly (readonly [id: string, name: string])[]
  readonly chosen: string
  readonly onChoose: (id: string) => void
}

function Choice({ label, names, chosen, onChoose }: ChoiceProps): ReactNode {
  return (
    <fieldset className={styles.choice} aria-label={label}>
      {names.map(([id, name]) => (
        <button key={id} type="button" aria-pressed={id === chosen} onClick={() => onChoose(id)}>
          {name}
        </button>
      ))}
    </fieldset>
  )
}
