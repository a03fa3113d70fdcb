// Where each worker is, height by height, and what is at a place. Both are in the address.

import { useNavigate, useSearch } from "@tanstack/react-router"
import { type ReactNode, useCallback, useMemo } from "react"
import { Panel } from "../../parts/panel"
import { CoverageMap, type MapSpot } from "./coverage-map"
import { MapBadge } from "./map-badge"
import type { MapView } from "./map-view"
import { PlacePanel } from "./place-panel"

const whole = /^\d{1,15}$/

export function MapPage(): ReactNode {
  const { from, to, worker, height } = useSearch({ from: "/console/$chain/map" })
  const navigate = useNavigate({ from: "/console/$chain/map" })
  const place = useMemo<MapView | undefined>(
    () =>
      whole.test(from ?? "") && whole.test(to ?? "") && Number(to) > Number(from) ? viewOf(from!, to!) : undefined,
    [from, to],
  )
  const onPlace = useCallback(
    (view: MapView | undefined): void => {
      const named = view && { from: String(Math.floor(view.from)), to: String(Math.ceil(view.to)) }
      void navigate({
        search: ({ from: _from, to: _to, ...rest }) => ({ ...rest, ...named }),
        replace: true,
        resetScroll: false,
      })
    },
    [navigate],
  )
  const onOpen = useCallback(
    ({ worker, range }: MapSpot): void => {
      const height = range.to - range.from <= 1 ? String(range.from) : `${range.from}-${range.to - 1}`
      void navigate({ search: (rest) => ({ ...rest, worker, height }), resetScroll: false })
    },
    [navigate],
  )
  const spot = spotOf(worker, height)
  return (
    <>
      <Panel title="Coverage" quiet="heights by worker, the worst state wins" side={<MapBadge />}>
        <CoverageMap place={place} onPlace={onPlace} onOpen={onOpen} />
      </Panel>
      {spot && <PlacePanel spot={spot} />}
    </>
  )
}

const viewOf = (from: string, to: string): MapView => ({ from: Number(from), to: Number(to) })

function spotOf(worker: string | undefined, height: string | undefined): MapSpot | undefined {
  const [, first, last] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(height ?? "") ?? []
  if (worker === undefined || first === undefined) return undefined
  return { worker, range: { from: Number(first), to: Number(last ?? first) + 1 } }
}
