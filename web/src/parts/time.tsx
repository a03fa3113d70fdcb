// A moment: how long ago, or in UTC. A click changes all of them.

import type { ReactNode } from "react"
import { useSetting } from "../app/use-setting"
import { formatAge, formatUtc } from "./format-time"
import { useNow } from "./now-context"
import styles from "./time.module.css"

export function Time({ at, both = false }: { readonly at: string; readonly both?: boolean }): ReactNode {
  const now = useNow()
  const [style, setStyle] = useSetting("times", "age")
  const age = formatAge(now - Date.parse(at))
  const utc = formatUtc(at)
  if (both) {
    return (
      <time dateTime={at}>
        {utc} <span className="quiet">({age})</span>
      </time>
    )
  }
  const [shown, other] = style === "age" ? [age, utc] : [utc, age]
  return (
    <button
      type="button"
      className={styles.time}
      title={`${other}; click for ${style === "age" ? "UTC" : "ages"}`}
      onClick={() => setStyle(style === "age" ? "utc" : "age")}
    >
      <time dateTime={at}>{shown}</time>
    </button>
  )
}
