// What stands in the way at this moment: a halt that waits for a person, and the rollback that is open.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../../app/chain-context"
import type { ChainStatus } from "../../data/status-query"
import { formatNumber, plural } from "../../parts/format-number"
import { formatDuration } from "../../parts/format-time"
import { Panel } from "../../parts/panel"
import { plainText } from "../../parts/plain-text"
import { useStatus } from "../access/use-status"
import { ActButton } from "../acts/act-button"
import { ProgressBar } from "../figures/progress-bar"
import { StateMark } from "../figures/state-mark"
import { sentence } from "../frame/diagnosis-words"
import styles from "./now-panel.module.css"
import { cancelRollback } from "./rollback-acts"

export function NowPanel(): ReactNode {
  const { data: status } = useStatus()
  if (!status) return <div className={styles.calm} aria-busy="true" />
  if (status.halt === null && status.rollback === null) return <Calm errors={status.open_errors} />
  return (
    <Panel title="Now">
      {status.halt !== null && <Halt status={status} halt={status.halt} />}
      {status.rollback && <Open rollback={status.rollback} />}
    </Panel>
  )
}

function Calm({ errors }: { readonly errors: number }): ReactNode {
  const chain = useChain()
  return (
    <p className={styles.calm}>
      <StateMark tone="plain">Nothing is halted, and no rollback is open.</StateMark>
      {errors === 0 ? (
        <span>No error is open.</span>
      ) : (
        <Link to="/console/$chain/incidents" params={{ chain }}>
          {plural(errors, "error is", "errors are")} open
        </Link>
      )}
    </p>
  )
}

function Halt({ status, halt }: { readonly status: ChainStatus; readonly halt: string }): ReactNode {
  const chain = useChain()
  const { halt_height: height, halted_for_ms: since } = status
  const below = height === null ? undefined : String(BigInt(height) - 1n)
  return (
    <div className={styles.incident}>
      <h3>
        <StateMark tone="failed">Ingestion is halted</StateMark>
        {since !== null && <span className="quiet">for {formatDuration(since)}</span>}
      </h3>
      <p>{sentence(plainText(halt, 600))}</p>
      <p className={styles.todo}>
        Nothing was deleted, and nothing new is stored. If the store is right, correct the node or take it out of
        RPC_URL: ingestion goes on by itself. If the node is right, roll back to where both agree.
      </p>
      {below !== undefined && (
        <p>
          <Link to="/console/$chain/incidents" params={{ chain }} search={{ tab: "rollbacks", to: below }}>
            Plan a rollback to block {formatNumber(below)}
          </Link>
        </p>
      )}
    </div>
  )
}

function Open({ rollback }: { readonly rollback: NonNullable<ChainStatus["rollback"]> }): ReactNode {
  const chain = useChain()
  const { from_height, to_height, reason, step, done_blocks, total_blocks, eta_ms, failures, error, error_code } =
    rollback
  const heights =
    to_height === null
      ? `from block ${formatNumber(from_height)} on`
      : `of blocks ${formatNumber(from_height)} to ${formatNumber(BigInt(to_height) - 1n)}`
  const [done, total] = [done_blocks ?? 0, total_blocks ?? 0]
  return (
    <div className={styles.incident}>
      <h3>
        <StateMark tone="partial">The rollback {heights} is open</StateMark>
        <ActButton act={() => cancelRollback(chain, heights)}>Cancel it…</ActButton>
      </h3>
      {reason !== null && <p>{sentence(plainText(reason, 600))}</p>}
      {step !== null && total > 0 && (
        <div className={styles.progress}>
          <ProgressBar label="Progress of the rollback" done={done} total={total} />
          <span>
            {step === "app" ? "derived tables" : "raw blocks"}: {formatNumber(done)} of {formatNumber(total)} heights
            {eta_ms !== null && `, about ${formatDuration(eta_ms)} to go`}
          </span>
        </div>
      )}
      {step === null && (
        <p className={styles.todo}>No process has begun with it yet. Any that runs takes it up within seconds.</p>
      )}
      {failures > 0 && (
        <p className={styles.failed}>
          It failed {formatNumber(failures)} {failures === 1 ? "time" : "times"}, and is tried again. The last time:{" "}
          {error_code && <code>{plainText(error_code, 40)}</code>} {plainText(error ?? "", 400)}
        </p>
      )}
    </div>
  )
}
