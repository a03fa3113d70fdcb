// How much the chain takes, how much is left, and until when that is enough.

import type { ReactNode } from "react"
import type { ChainStatus } from "../../data/status-query"
import { formatBytes } from "../../parts/format-bytes"
import { Panel } from "../../parts/panel"
import { type Figure, Figures } from "../figures/figures"
import { StateMark } from "../figures/state-mark"
import styles from "./room-panel.module.css"
import { basisWords, formatDays, type Growth, growthOf, type Room, roomOf, type StoreTable } from "./store-growth"

interface RoomPanelProps {
  readonly status: ChainStatus | undefined
  readonly tables: readonly StoreTable[] | undefined
}

const tones = { unknown: "quiet", enough: "plain", soon: "partial", "nearly full": "failed" } as const

export function RoomPanel({ status, tables }: RoomPanelProps): ReactNode {
  const growth = growthOf(tables ?? [])
  const room = status && roomOf(status.store)
  return (
    <Panel title="Room" side={room && <StateMark tone={tones[room]}>{roomWords[room]}</StateMark>}>
      {status && tables ? (
        <>
          <Figures figures={figuresOf(status, growth)} />
          <RoomBar store={status.store} />
          <p className={styles.basis}>{basisWords(status, growth)}</p>
        </>
      ) : (
        <div className={styles.awaited} aria-busy="true" />
      )}
    </Panel>
  )
}

const roomWords: Readonly<Record<Room, string>> = {
  unknown: "how long it lasts is unknown",
  enough: "enough for now",
  soon: "full within a month",
  "nearly full": "nearly full",
}

function figuresOf({ store }: ChainStatus, { bytesPerBlock, bytesPerDay }: Growth): Figure[] {
  const { raw_bytes, app_bytes, free_bytes, days_to_full } = store
  const room = roomOf(store)
  const tone = room === "nearly full" ? "failed" : room === "soon" ? "partial" : "plain"
  const unknown = "unknown"
  return [
    {
      number: raw_bytes === null ? unknown : formatBytes(raw_bytes + (app_bytes ?? 0)),
      words: app_bytes === null ? "taken" : "taken, by both databases",
    },
    { number: free_bytes === null ? unknown : formatBytes(free_bytes), words: "free" },
    { number: bytesPerDay === null ? unknown : formatBytes(bytesPerDay), words: "more every day" },
    { number: bytesPerBlock === 0 ? unknown : formatBytes(bytesPerBlock), words: "for each block" },
    { number: days_to_full === null ? unknown : formatDays(days_to_full), words: "until it is full", tone },
  ]
}

function RoomBar({ store: { raw_bytes, app_bytes, free_bytes } }: Pick<ChainStatus, "store">): ReactNode {
  if (raw_bytes === null || free_bytes === null) return null
  const parts = [
    { name: app_bytes === null ? "taken" : "raw", bytes: raw_bytes, style: styles.raw },
    ...(app_bytes === null ? [] : [{ name: "app", bytes: app_bytes, style: styles.app }]),
    { name: "free", bytes: free_bytes, style: styles.free },
  ]
  const all = parts.reduce((sum, { bytes }) => sum + bytes, 0)
  return (
    <div className={styles.room}>
      <div className={styles.bar} aria-hidden="true">
        {parts.map(({ name, bytes, style }) => (
          <span key={name} className={style} style={{ width: `${(bytes / all) * 100}%` }} />
        ))}
      </div>
      <p className={styles.legend}>
        {parts.map(({ name, bytes, style }) => (
          <span key={name}>
            <span className={`${styles.key} ${style}`} aria-hidden="true" /> {name} {formatBytes(bytes)}
          </span>
        ))}
      </p>
    </div>
  )
}
