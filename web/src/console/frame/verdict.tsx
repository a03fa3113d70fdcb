// What the doctor says: the sentence, what Tidemark does about it, and what a person should do, with commands to copy.

import type { ReactNode } from "react"
import { TidemarkError } from "tidemark/client"
import { useChain } from "../../app/chain-context"
import type { ChainStatus } from "../../data/status-query"
import { CopyButton } from "../../parts/copy-button"
import { useStatus } from "../access/use-status"
import { saidOf, sentence } from "./diagnosis-words"
import styles from "./verdict.module.css"

type Diagnosis = ChainStatus["diagnosis"]

const asked: Diagnosis = { state: "starting", message: "Asking the doctor", doing: null, todo: null }
const unreachable: Diagnosis = {
  state: "stalled",
  message: "This server cannot be reached",
  doing: "the page asks again every few seconds",
  todo: "check that the process runs: `npx tidemark status`",
}

export function Verdict(): ReactNode {
  const chain = useChain()
  const { data, error } = useStatus()
  const said = error ? saidBy(error) : (data?.diagnosis ?? asked)
  const commands = commandsIn(said.todo)
  return (
    <section className={`${styles.verdict} ${styles[said.state]}`} aria-label="The doctor's verdict" role="status">
      <div>
        <p className={styles.message}>
          <span className={styles.state}>{said.state}</span>
          {saidOf(said.message, chain)}
        </p>
        {said.doing && <p className={styles.more}>Tidemark: {sentence(said.doing, false)}</p>}
        {said.todo && <p className={styles.more}>You: {withCode(sentence(said.todo, false))}</p>}
      </div>
      {commands.length > 0 && (
        <ul className={styles.commands}>
          {commands.map((command) => (
            <li key={command}>
              <code>{command}</code>
              <CopyButton text={`npx ${command}`} name={command} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** A server whose database is unavailable says so, with what the doctor makes of it. */
function saidBy(error: Error): Diagnosis {
  const known = error instanceof TidemarkError ? error.details["diagnosis"] : undefined
  return (known as Diagnosis | undefined) ?? unreachable
}

const commandsIn = (text: string | null): string[] => [
  ...new Set([...(text ?? "").matchAll(/`(tidemark [^`]+)`/g)].map(([, command]) => command!)),
]

const withCode = (text: string): ReactNode[] =>
  // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text.
  text.split("`").map((piece, at) => (at % 2 === 1 ? <code key={at}>{piece}</code> : piece))
