// The colours of the map for the theme that is seen. The same three levels as everywhere: filled, hatched, outline; what is dead
// or failed is coral.

import type { MapState } from "./map-layer"

export interface MapTones {
  readonly fills: Readonly<Record<MapState, string | CanvasPattern>>
  readonly ink: string
  readonly soft: string
  readonly line: string
  readonly wash: string
  readonly amber: string
  readonly coral: string
  readonly font: string
}

export function readTones(element: HTMLElement, context: CanvasRenderingContext2D): MapTones {
  const probe = document.createElement("span")
  element.append(probe)
  // A canvas does not know the tokens.
  const tone = (token: string): string => {
    probe.style.color = `var(${token})`
    return getComputedStyle(probe).color
  }
  const [fill, hatch, card, coral, edge] = ["--fill", "--hatch", "--card", "--coral", "--edge"].map(tone) as [
    ...[string, string, string, string, string],
  ]
  const tones: MapTones = {
    fills: {
      ...{ d: fill, s: edge, a: hatch, m: card, x: coral },
      p: hatched(context, hatch, card),
      f: hatched(context, coral, card),
    },
    ink: tone("--ink"),
    soft: tone("--soft"),
    line: tone("--line"),
    wash: tone("--sea"),
    amber: tone("--amber"),
    coral,
    font: `12px ${getComputedStyle(element).fontFamily}`,
  }
  probe.remove()
  return tones
}

function hatched(context: CanvasRenderingContext2D, tone: string, ground: string): CanvasPattern | string {
  const size = 6 * devicePixelRatio
  const tile = document.createElement("canvas")
  tile.width = size
  tile.height = size
  const inner = tile.getContext("2d")!
  inner.fillStyle = ground
  inner.fillRect(0, 0, size, size)
  inner.strokeStyle = tone
  inner.lineWidth = size * 0.42
  inner.beginPath()
  for (const shift of [-size, 0, size]) {
    inner.moveTo(shift - 1, size + 1)
    inner.lineTo(shift + size + 1, -1)
  }
  inner.stroke()
  const pattern = context.createPattern(tile, "repeat")
  pattern?.setTransform(new DOMMatrix().scale(1 / devicePixelRatio))
  return pattern ?? tone
}
