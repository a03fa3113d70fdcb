// What the map draws from: the whole chain, the stretch in view, and the head, each asked for by itself.

import { useMemo } from "react"
import { useChain } from "../../app/chain-context"
import { useOps } from "../access/ops-query"
import { layerOf, type MapAnswer, type MapLayer } from "./map-layer"
import { isWhole, type MapView } from "./map-view"

const wholeBuckets = 1_000
const mostBuckets = 2_000
export const headHeights = 32

export interface MapData {
  readonly whole: MapAnswer | undefined
  readonly error: Error | null
  readonly bounds: MapView
  readonly layers: readonly MapLayer[]
  readonly head: MapLayer | undefined
}

/** `settled` is the view after it has come to rest; undefined for the whole chain. */
export function useMapData(settled: MapView | undefined, plot: number): MapData {
  const chain = useChain()
  const { data: whole, error } = useOps(chain, "/ops/map", { buckets: wholeBuckets })
  const bounds = useMemo(() => ({ from: Number(whole?.from ?? 0), to: Number(whole?.to ?? 1) }), [whole])
  const near = whole && settled && !isWhole(settled, bounds) ? around(settled, bounds) : undefined
  const isNear = near !== undefined
  const { data: detail } = useOps(
    chain,
    "/ops/map",
    {
      from: String(near?.from ?? 0),
      to: String(near?.to ?? 1),
      buckets: Math.min(mostBuckets, Math.round(plot * 1.5)),
    },
    { enabled: isNear && plot > 0 },
  )
  const tip = Math.max(bounds.from, bounds.to - headHeights)
  const { data: newest } = useOps(
    chain,
    "/ops/map",
    { from: String(tip), buckets: headHeights },
    { enabled: whole !== undefined && bounds.to - bounds.from > headHeights * 2 },
  )
  const head = useMemo(() => newest && layerOf(newest), [newest])
  const base = useMemo(() => whole && layerOf(whole), [whole])
  const above = useMemo(() => (isNear && detail ? layerOf(detail) : undefined), [isNear, detail])
  const layers = useMemo(() => [base, above].filter((layer) => layer !== undefined), [base, above])
  return { whole, error, bounds, layers, head }
}

/** More than is seen, so that a small step shows what is there already. Whole heights. */
function around({ from, to }: MapView, bounds: MapView): MapView {
  const more = (to - from) / 4
  return {
    from: Math.max(bounds.from, Math.floor(from - more)),
    to: Math.min(bounds.to, Math.ceil(to + more)),
  }
}
