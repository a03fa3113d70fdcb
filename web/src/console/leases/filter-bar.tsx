// The filter of the section: as text, and as the states that one clicks. Both are in the address.

import { Link, useNavigate } from "@tanstack/react-router"
import { type FormEvent, type ReactNode, useEffect, useId, useState } from "react"
import { formatNumber } from "../../parts/format-number"
import { plainText } from "../../parts/plain-text"
import type { Worker } from "../graph/worker-state"
import styles from "./filter-bar.module.css"
import { formatWorkFilter, parseWorkFilter, statusWords, type WorkFilter } from "./work-filter"

interface FilterBarProps {
  readonly chain: string
  readonly filter: WorkFilter
  readonly workers: readonly Worker[]
}

type ShownStatus = keyof typeof statusWords
const shownStatuses = Object.keys(statusWords) as readonly ShownStatus[]

export function FilterBar({ chain, filter, workers }: FilterBarProps): ReactNode {
  const navigate = useNavigate()
  const id = useId()
  const shown = formatWorkFilter(filter)
  const [typed, setTyped] = useState(shown)
  const [unknown, setUnknown] = useState<readonly string[]>([])
  // Whatever changed it: Back, a click on a state, a link.
  useEffect(() => {
    setTyped(shown)
    setUnknown([])
  }, [shown])
  const go = (next: WorkFilter): void =>
    void navigate({ to: "/console/$chain/work", params: { chain }, search: { ...next }, resetScroll: false })
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault()
    const names = workers.map(({ worker }) => worker)
    const parsed = parseWorkFilter(typed, names)
    setUnknown(parsed.unknown)
    if (parsed.unknown.length === 0) go(parsed.filter)
  }
  return (
    <div className={styles.bar}>
      <search>
        <form onSubmit={onSubmit}>
          <input
            type="text"
            aria-label="Filter"
            aria-describedby={id}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            placeholder="worker:token status:dead code:WORKER_FAILED height:100-200"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            onKeyDown={({ key }) => key === "Escape" && setTyped(shown)}
          />
          {shown !== "" && (
            <button type="button" onClick={() => go({})}>
              Clear
            </button>
          )}
        </form>
      </search>
      <nav aria-label="State">
        {shownStatuses.map((status) => {
          const isShown = (filter.status ?? "OPEN") === status
          return (
            <Link
              key={status}
              to="/console/$chain/work"
              params={{ chain }}
              search={{ ...filter, status: status === "OPEN" ? undefined : status }}
              resetScroll={false}
              aria-current={isShown ? "true" : undefined}
              className={isShown ? styles.shown : undefined}
              activeProps={{}}
            >
              {statusWords[status]} <span>{formatNumber(countOf(status, filter, workers))}</span>
            </Link>
          )
        })}
      </nav>
      <p id={id} className={styles.unknown} role="status">
        {unknown.length > 0 && `Not understood: ${plainText(unknown.join(" "), 120)}`}
      </p>
    </div>
  )
}

/** Of the worker that is shown, or of all. */
function countOf(status: ShownStatus, { worker }: WorkFilter, workers: readonly Worker[]): number {
  const of = ({ leases: { active, failed, dead } }: Worker): number =>
    ({ OPEN: active + failed, ACTIVE: active, FAILED: failed, DEAD: dead, ALL: active + failed + dead })[status]
  return workers.filter((one) => worker === undefined || one.worker === worker).reduce((sum, one) => sum + of(one), 0)
}
