// What an act will do, in words, before it is done; then how far it is, and what came of it.

import { type FormEvent, type ReactNode, type SyntheticEvent, useEffect, useId, useRef, useState } from "react"
import { useChain } from "../../app/chain-context"
import { useActor } from "../access/use-actor"
import { useAdminToken } from "../access/use-admin-token"
import { ProgressBar } from "../figures/progress-bar"
import type { Act, ActValues } from "./act"
import styles from "./act-dialog.module.css"
import { ActDone } from "./act-done"
import { ActFailure } from "./act-failure"
import { ActFields } from "./act-fields"
import { ActToken } from "./act-token"
import { ActWords } from "./act-words"
import { useAct } from "./use-act"

interface ActDialogProps {
  readonly act: Act
  readonly onClose: () => void
}

export function ActDialog({ act, onClose }: ActDialogProps): ReactNode {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const { state, actor } = useActor(useChain())
  const [, setToken] = useAdminToken()
  const [typed, setTyped] = useState("")
  const [values, setValues] = useState<ActValues>(() => initialValues(act))
  const { phase, start, stop } = useAct(act)
  const { fault, isLocked } = { fault: act.faultOf?.(values), isLocked: state === "token" || state === "refused" }
  useEffect(() => {
    dialog.current?.showModal()
    // What one types first, else a button; the grave one is not under the finger.
    dialog.current?.querySelector<HTMLElement>("input, [data-first]")?.focus()
  }, [])
  useEffect(() => {
    // The button that did it is gone.
    if (phase.kind === "done") dialog.current?.querySelector<HTMLElement>("[data-close]")?.focus()
  }, [phase.kind])

  const onSubmit = (event: FormEvent): void => {
    event.preventDefault()
    if (phase.kind === "running" || fault !== undefined || (isLocked && typed.trim() === "")) return
    if (isLocked) {
      setToken(typed.trim())
      setTyped("")
    }
    start(values)
  }
  const onCancel = (event: SyntheticEvent): void => {
    // What is being done is stopped first, and says how far it came.
    if (phase.kind !== "running") return
    event.preventDefault()
    stop()
  }
  const isTouched = Object.entries(initialValues(act)).some(([name, initial]) => values[name] !== initial)
  const canAct = state !== "none" && state !== "elsewhere"
  return (
    <dialog
      ref={dialog}
      className={`${styles.dialog} ${act.isGrave ? styles.grave : ""}`}
      aria-labelledby={id}
      onCancel={onCancel}
      onClose={onClose}
    >
      <h2 id={id}>{act.title}</h2>
      {phase.kind === "done" ? (
        <ActDone act={act} words={phase.words} actor={actor} onClose={() => dialog.current?.close()} />
      ) : (
        <form onSubmit={onSubmit}>
          <ActWords act={act} values={values} />
          {act.fields && (
            <ActFields
              {...{ fields: act.fields, values, fault: isTouched ? fault : undefined, onChange: setValues }}
            />
          )}
          {phase.kind !== "running" && <ActToken {...{ state, typed, onChange: setTyped }} />}
          {phase.kind === "failed" && <ActFailure error={phase.error} done={phase.progress?.done ?? 0} />}
          {phase.kind === "running" && (
            <div className={styles.progress} role="status">
              <ProgressBar label="Progress" done={phase.progress?.done} total={phase.progress?.total} />
              <span>{phase.isStopping ? "Stopping…" : progressWords(phase.progress)}</span>
            </div>
          )}
          <div className={styles.buttons}>
            <button
              type="button"
              data-first={act.isGrave || !canAct ? "" : undefined}
              onClick={() => (phase.kind === "running" ? stop() : dialog.current?.close())}
            >
              {phase.kind === "running" ? "Stop" : canAct ? "Cancel" : "Close"}
            </button>
            {canAct && (
              <button
                type="submit"
                className={styles.go}
                data-first={act.isGrave ? undefined : ""}
                disabled={fault !== undefined}
                aria-disabled={phase.kind === "running"}
              >
                {act.button}
              </button>
            )}
          </div>
        </form>
      )}
    </dialog>
  )
}

const initialValues = ({ fields = [] }: Act): ActValues =>
  Object.fromEntries(fields.map(({ name, initial = "" }) => [name, initial]))

const progressWords = (progress: { readonly done: number; readonly total: number } | undefined): string =>
  progress ? `${progress.done.toLocaleString("en-US")} of ${progress.total.toLocaleString("en-US")}` : "Asking…"
