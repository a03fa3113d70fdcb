// The coverage map: heights by worker. The wheel zooms, dragging selects, a click opens what is at that place; the same with
// keys. While it moves only the canvas is drawn; what is in view is asked for when it has come to rest.

import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react"
import { useMedia } from "../../app/use-media"
import { useTheme } from "../../app/use-theme"
import { useWidth } from "../../app/use-width"
import styles from "./coverage-map.module.css"
import { drawMap, headGap } from "./draw-map"
import { MapFoot } from "./map-foot"
import { bucketAt, type MapLayer, stateAt } from "./map-layer"
import { cursorAfterKey, pointedAt, viewAfterKey, viewAfterWheel } from "./map-pointer"
import { readTones } from "./map-tones"
import { clampView, type MapView, zoomView } from "./map-view"
import { lowestHeight, shapeOf, spotWords } from "./map-words"
import { useFrames } from "./use-frames"
import { headHeights, useMapData } from "./use-map-data"

export interface MapSpot {
  readonly worker: string
  readonly range: MapView
}

interface CoverageMapProps {
  /** From the address. */
  readonly place?: MapView | undefined
  readonly onPlace?: (view: MapView | undefined) => void
  readonly onOpen: (spot: MapSpot) => void
}

const restMs = 150
const clickPixels = 4

export function CoverageMap({ place, onPlace, onOpen }: CoverageMapProps): ReactNode {
  const frame = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const view = useRef<MapView | undefined>(place)
  const drag = useRef<{ x: number; y: number; from: number; to: number; isPan: boolean; start: MapView } | undefined>(
    undefined,
  )
  const [settled, setSettled] = useState(place)
  const width = useWidth(frame)
  const [cursor, setCursor] = useState<{ row: number; height: number }>()
  const [hovered, setHovered] = useState<{ row: number; height: number; isHead: boolean }>()
  const theme = useTheme()
  const isSmall = useMedia("(max-width: 900px)")
  const plot = Math.max(0, width - (isSmall ? 40 : 88) - headGap)
  const { whole, bounds, layers, head } = useMapData(settled, plot)
  const workers = useMemo(() => whole?.workers.map(({ worker }) => worker) ?? [], [whole])
  const hasHead = head !== undefined
  const shape = useMemo(
    () => shapeOf({ width, rows: workers.length, isSmall, hasHead }),
    [width, workers.length, isSmall, hasHead],
  )
  const seen = useCallback((): MapView => clampView(view.current ?? bounds, bounds), [bounds])

  const watermark = useMemo(
    () => lowestHeight(whole?.workers.map(({ watermark_height }) => watermark_height)),
    [whole],
  )
  const rollbacks = useMemo(() => whole?.rollbacks.map(({ height }) => Number(height)) ?? [], [whole])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours change with the theme.
  const tones = useMemo(() => {
    const context = canvas.current?.getContext("2d")
    return context && frame.current && width > 0 ? readTones(frame.current, context) : undefined
  }, [theme, width > 0])

  const draw = useCallback((): void => {
    const context = canvas.current?.getContext("2d")
    if (!context || !tones || layers.length === 0) return
    const moving = drag.current
    const selected = moving && !moving.isPan && Math.abs(moving.to - moving.from) > 0 ? ordered(moving) : undefined
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0)
    drawMap(
      context,
      { shape, view: seen(), bounds, workers, layers, head, watermark, rollbacks, cursor, selected },
      tones,
    )
  }, [tones, layers, shape, seen, bounds, workers, head, watermark, rollbacks, cursor])

  const schedule = useFrames(draw)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const look = useCallback(
    (next: MapView | undefined): void => {
      view.current = next
      schedule()
      clearTimeout(timer.current)
      timer.current = setTimeout(() => {
        setSettled(view.current)
        onPlace?.(view.current)
      }, restMs)
    },
    [schedule, onPlace],
  )
  useEffect(() => () => clearTimeout(timer.current), [])

  // An address that was followed while the map is open.
  useEffect(() => {
    if (place?.from === view.current?.from && place?.to === view.current?.to) return
    view.current = place
    setSettled(place)
  }, [place])

  useLayoutEffect(() => {
    const element = canvas.current
    if (!element || shape.width === 0) return
    element.width = Math.round(shape.width * devicePixelRatio)
    element.height = Math.round(shape.height * devicePixelRatio)
  }, [shape])
  // After the canvas has its size, which clears it.
  useLayoutEffect(() => draw(), [draw])

  // React listens to wheels passively, and the page would scroll.
  useEffect(() => {
    const element = canvas.current
    if (!element) return
    const onWheel = (event: WheelEvent): void => {
      const pointed = pointedAt({ x: event.offsetX, y: event.offsetY }, { shape, view: seen(), head })
      const next = viewAfterWheel(event, { view: seen(), bounds, shape, at: pointed.height })
      if (!next) return
      event.preventDefault()
      look(next)
    }
    element.addEventListener("wheel", onWheel, { passive: false })
    return () => element.removeEventListener("wheel", onWheel)
  }, [shape, seen, head, bounds, look])

  const layer: MapLayer | undefined = layers.at(-1)
  const open = (row: number, height: number, isHead: boolean): void => {
    const worker = workers[row]
    const from = isHead && head ? head : layer
    if (worker !== undefined && from) onOpen({ worker, range: bucketAt(from, height) })
  }
  const at = ({ clientX, clientY, currentTarget }: React.PointerEvent) => {
    const { left, top } = currentTarget.getBoundingClientRect()
    return pointedAt({ x: clientX - left, y: clientY - top }, { shape, view: seen(), head })
  }

  const onPointerDown = (event: React.PointerEvent): void => {
    const pointed = at(event)
    if (event.button !== 0 || pointed.isHead) return
    event.currentTarget.setPointerCapture(event.pointerId)
    const { clientX: x, clientY: y } = event
    drag.current = { x, y, from: pointed.height, to: pointed.height, isPan: event.shiftKey, start: seen() }
  }
  const onPointerMove = (event: React.PointerEvent): void => {
    const pointed = at(event)
    const moving = drag.current
    if (!moving) {
      setHovered(workers[pointed.row] === undefined ? undefined : pointed)
      return
    }
    if (moving.isPan) {
      const heights = ((moving.x - event.clientX) * (moving.start.to - moving.start.from)) / shape.plot
      look(clampView({ from: moving.start.from + heights, to: moving.start.to + heights }, bounds))
    } else if (!pointed.isHead) moving.to = pointed.height
    schedule()
  }
  const onPointerUp = (event: React.PointerEvent): void => {
    const moving = drag.current
    drag.current = undefined
    const pointed = at(event)
    const isClick = !moving || Math.hypot(event.clientX - moving.x, event.clientY - moving.y) < clickPixels
    if (isClick) open(pointed.row, pointed.height, pointed.isHead)
    else if (!moving.isPan) look(clampView(ordered(moving), bounds))
    schedule()
  }

  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey || !layer) return
    const { from, to } = seen()
    const here = cursor ?? { row: 0, height: Math.floor((from + to) / 2) }
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault()
      open(here.row, here.height, false)
      return
    }
    const bucket = bucketAt(layer, here.height)
    const size = Math.max(1, bucket.to - bucket.from)
    const moved = cursorAfterKey(event.key, here, { view: seen(), bounds, rows: workers.length, bucket: size })
    const next = moved?.view ?? viewAfterKey(event.key, seen(), bounds, here.height)
    if (!next) return
    event.preventDefault()
    event.stopPropagation()
    setCursor(moved ? { row: moved.row, height: moved.height } : here)
    if (next !== seen()) look(next)
  }

  const zoom = (by: number): void => {
    const now = seen()
    look(zoomView(now, bounds, { at: (now.from + now.to) / 2, by }))
  }
  const told = hovered ?? (cursor && { ...cursor, isHead: false })
  const from = told?.isHead ? head : layer
  const words =
    told && from && workers[told.row] !== undefined
      ? spotWords(
          workers[told.row]!,
          bucketAt(from, told.height),
          stateAt(from, workers[told.row]!, Math.floor(told.height)),
        )
      : undefined
  return (
    <div className={styles.map}>
      <div className={styles.rows}>
        <ul className={styles.names} style={{ paddingTop: shape.top }}>
          {workers.map((worker) => (
            <li key={worker} style={{ height: shape.pitch }}>
              {worker}
            </li>
          ))}
        </ul>
        <div ref={frame} className={styles.frame} style={{ minHeight: shape.height }} aria-busy={whole === undefined}>
          {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a figure that is used with keys. */}
          <canvas
            ref={canvas}
            role="application"
            tabIndex={0}
            aria-label={`Coverage of ${workers.length} workers. Arrows move, plus and minus zoom, Enter opens, 0 shows all.`}
            style={{ width: shape.width, height: shape.height }}
            onPointerDown={onPointerDown}
            onPointerMove={onPointerMove}
            onPointerUp={onPointerUp}
            onPointerCancel={() => {
              drag.current = undefined
              schedule()
            }}
            onPointerLeave={() => setHovered(undefined)}
            onKeyDown={onKeyDown}
            onBlur={() => setCursor(undefined)}
          />
        </div>
      </div>
      <MapFoot
        words={words}
        isSpoken={cursor !== undefined}
        onZoom={zoom}
        onAll={() => look(undefined)}
        onHead={() => look(clampView({ from: bounds.to - headHeights * 8, to: bounds.to }, bounds))}
      />
    </div>
  )
}

const ordered = ({ from, to }: MapView): MapView => ({ from: Math.min(from, to), to: Math.max(from, to) })
