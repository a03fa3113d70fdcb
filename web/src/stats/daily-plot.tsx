// One number by day, as bars. Hovering names the day and the number, in all plots of the page together.

import "uplot/dist/uPlot.min.css"
import { type ReactNode, useEffect, useRef, useState } from "react"
import uPlot from "uplot"
import { useTheme } from "../app/use-theme"
import { Panel } from "../parts/panel"
import styles from "./daily-plot.module.css"

interface DailyPlotProps {
  readonly title: string
  /** Days, in seconds. Undefined while they are awaited. */
  readonly at: readonly number[] | undefined
  readonly values: readonly number[] | undefined
  readonly also?: { readonly name: string; readonly values: readonly number[] | undefined; readonly isBad?: boolean }
}

const height = 180
const daySeconds = 86_400
/** One bar alone would be as wide as the plot. */
const fewestDays = 13.5
const full = new Intl.NumberFormat("en-US", { maximumFractionDigits: 4 })
const dayText = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", timeZone: "UTC" })
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 })

export function DailyPlot({ title, at, values, also }: DailyPlotProps): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  const theme = useTheme()
  const [pointed, setPointed] = useState<number | null>(null)
  const others = also?.values
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours change with the theme.
  useEffect(() => {
    const element = place.current
    if (!element || !at || !values || at.length === 0) return
    const data = [at, values, ...(others ? [others] : [])].map((column) => [...column]) as unknown as uPlot.AlignedData
    const plot = new uPlot(
      optionsFor(element, {
        days: [at[0]!, at.at(-1)!],
        otherTone: also && (also.isBad ? "--coral" : "--hatch"),
        onPoint: setPointed,
      }),
      data,
      element,
    )
    const watch = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    watch.observe(element)
    return () => {
      watch.disconnect()
      plot.destroy()
    }
  }, [at, values, others, theme])
  const shown = pointed ?? (at ? at.length - 1 : -1)
  const day = at?.[shown]
  return (
    <Panel
      title={title}
      side={
        <span className={styles.read}>
          {day === undefined ? "\u00a0" : dayText.format(day * 1_000)}
          <b>{values?.[shown] === undefined ? "" : full.format(values[shown])}</b>
          {others?.[shown] !== undefined && `${full.format(others[shown])} ${also?.name}`}
        </span>
      }
    >
      <div ref={place} className={styles.plot} aria-hidden="true" />
    </Panel>
  )
}

interface PlotGiven {
  /** The first and the last. */
  readonly days: readonly [number, number]
  readonly otherTone: string | undefined
  readonly onPoint: (at: number | null) => void
}

function optionsFor(element: HTMLElement, { days, otherTone, onPoint }: PlotGiven): uPlot.Options {
  const [first, last] = [days[0] - daySeconds / 2, days[1]]
  const style = getComputedStyle(element)
  const [fill, other, soft, line] = ["--fill", otherTone ?? "--hatch", "--soft", "--line"].map((name) =>
    colourOf(element, name),
  ) as [string, string, string, string]
  const axis = { stroke: soft, font: `12px ${style.fontFamily}`, ticks: { show: false } }
  const bars = uPlot.paths.bars!({ size: [0.7, 24], radius: 0 })
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, sync: { key: "days" }, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: true, range: () => [Math.min(first, last - fewestDays * daySeconds), last + daySeconds / 2] },
      y: { range: (_plot, _low, high) => [0, high === 0 ? 1 : high * 1.08] },
    },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), "UTC"),
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 80,
        size: 28,
        values: [[daySeconds, "{MMM} {D}", null, null, null, null, null, null, 1]],
      },
      {
        ...axis,
        grid: { stroke: line, width: 1 },
        size: 56,
        values: (_plot, marks) => marks.map((one) => compact.format(one)),
      },
    ],
    series: [
      {},
      { fill, width: 0, paths: bars, points: { show: false } },
      ...(otherTone ? [{ fill: other, width: 0, paths: bars, points: { show: false } }] : []),
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  }
}

/** As the browser resolves it for the theme: a canvas does not know the tokens. */
function colourOf(element: HTMLElement, token: string): string {
  const probe = document.createElement("span")
  probe.style.color = `var(${token})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
