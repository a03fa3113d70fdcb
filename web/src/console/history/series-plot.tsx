// One figure of all workers over time: a line for each, in one tone, with the marked one in front. Hovering says the time and
// what each worker had then.

import "uplot/dist/uPlot.min.css"
import { type ReactNode, useEffect, useRef, useState } from "react"
import uPlot from "uplot"
import { useTheme } from "../../app/use-theme"
import { formatUtc } from "../../parts/format-time"
import styles from "./series-plot.module.css"

interface Line {
  readonly name: string
  readonly values: readonly (number | null)[]
}

interface SeriesPlotProps {
  /** In seconds. Undefined while they are awaited. */
  readonly at: readonly number[] | undefined
  readonly lines: readonly Line[] | undefined
  readonly span: string
  readonly marked: string | undefined
  readonly onMark: (name: string | undefined) => void
}

const height = 240
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 2 })
const full = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 })

export function SeriesPlot({ at, lines, span, marked, onMark }: SeriesPlotProps): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  const theme = useTheme()
  const [pointed, setPointed] = useState<number | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours change with the theme.
  useEffect(() => {
    const element = place.current
    if (!element || !at || !lines || at.length === 0) return
    const columns = [at, ...lines.map(({ values }) => values)].map((column) => [...column])
    const names = lines.map(({ name }) => name)
    const options = optionsFor(element, { names, marked, span, onPoint: setPointed })
    const plot = new uPlot(options, columns as unknown as uPlot.AlignedData, element)
    const watch = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    watch.observe(element)
    return () => {
      watch.disconnect()
      plot.destroy()
    }
  }, [at, lines, marked, span, theme])
  const shown = pointed ?? (at ? at.length - 1 : -1)
  const time = at?.[shown]
  return (
    <div className={styles.series}>
      <div ref={place} className={styles.plot} aria-hidden="true" />
      <div className={styles.read}>
        <p>{time === undefined ? "\u00a0" : formatUtc(new Date(time * 1_000).toISOString())}</p>
        <ul aria-label="Workers">
          {lines?.map(({ name, values }) => (
            <li key={name}>
              <button
                type="button"
                aria-pressed={name === marked}
                onClick={() => onMark(name === marked ? undefined : name)}
              >
                <span>{name}</span>
                <b>{values[shown] == null ? "–" : full.format(values[shown])}</b>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

interface PlotGiven {
  readonly names: readonly string[]
  readonly marked: string | undefined
  readonly span: string
  readonly onPoint: (at: number | null) => void
}

const hour = 3_600
const day = 24 * hour

function optionsFor(element: HTMLElement, { names, marked, span, onPoint }: PlotGiven): uPlot.Options {
  const style = getComputedStyle(element)
  const [fill, hatch, soft, line] = ["--fill", "--hatch", "--soft", "--line"].map((name) =>
    colourOf(element, name),
  ) as [...[string, string, string, string]]
  const axis = { stroke: soft, font: `12px ${style.fontFamily}`, ticks: { show: false } }
  const stamp = span === "month" ? "{MMM} {D}" : "{HH}:{mm}"
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: { x: { time: true }, y: { range: (_plot, low, high) => rangeFrom(low, high) } },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), "UTC"),
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 90,
        size: 28,
        values: [[span === "month" ? day : 60, stamp, null, null, null, null, null, null, 1]],
      },
      {
        ...axis,
        grid: { stroke: line, width: 1 },
        size: 64,
        values: (_plot, marks) => marks.map((one) => compact.format(one)),
      },
    ],
    series: [
      {},
      ...names.map((name) => ({
        stroke: marked === undefined || name === marked ? fill : hatch,
        width: name === marked ? 2.5 : 1.25,
        alpha: marked === undefined || name === marked ? 1 : 0.6,
        points: { show: false },
        spanGaps: false,
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  }
}

/** From zero, unless all of it is far above: watermarks would be flat. */
function rangeFrom(low: number | null, high: number | null): [number, number] {
  const [least, most] = [low ?? 0, high ?? 1]
  if (most === least) return [Math.min(0, least), most === 0 ? 1 : most * 1.1]
  if (least > 0 && least > most * 0.5) return [least - (most - least) * 0.05, most + (most - least) * 0.05]
  return [Math.min(0, least), most * 1.08]
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
