// Says that there are new rows, and shows them when it is asked to: a list never moves by itself.

import { type ReactNode, useEffect, useRef, useState } from "react"
import { plural } from "./format-number"
import styles from "./fresh-rows.module.css"

/** How many have come since the rows were read; `shownAt` is when that was. */
export function useFresh(count: number, shownAt: number): number {
  const latest = useRef(count)
  latest.current = count
  const [seen, setSeen] = useState(count)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows that were just read have all that was told until now.
  useEffect(() => setSeen(latest.current), [shownAt])
  return Math.max(0, count - seen)
}

export function FreshRows({
  count,
  name,
  isRolledBack,
  onShow,
}: {
  readonly count: number
  /** Of one of them. */
  readonly name: string
  /** Blocks below some of the rows were removed: what is shown is no longer what the chain has. */
  readonly isRolledBack: boolean
  readonly onShow: () => void
}): ReactNode {
  // Its place is kept, so that nothing moves when it comes.
  return (
    <div className={styles.place} aria-live="off">
      {isRolledBack ? (
        <button type="button" className={styles.removed} onClick={onShow}>
          rolled back: show what the chain has now
        </button>
      ) : (
        count > 0 && (
          <button type="button" className={styles.fresh} onClick={onShow}>
            {plural(count, `new ${name}`)}
          </button>
        )
      )}
    </div>
  )
}
