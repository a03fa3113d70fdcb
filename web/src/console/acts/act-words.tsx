// What an act does, what it concerns, what follows, and whether it can be undone.

import type { ReactNode } from "react"
import { CopyButton } from "../../parts/copy-button"
import type { Act, ActValues } from "./act"
import styles from "./act-words.module.css"

export function ActWords({ act, values }: { readonly act: Act; readonly values: ActValues }): ReactNode {
  const command = act.commandOf?.(values)
  return (
    <>
      <p>{act.does}</p>
      <dl className={styles.words}>
        <dt>Concerns</dt>
        <dd>{act.concerns}</dd>
        {act.follows && (
          <>
            <dt>Then</dt>
            <dd>{act.follows}</dd>
          </>
        )}
        <dt>Undo</dt>
        <dd>{act.undo}</dd>
        {command && (
          <>
            <dt>In a shell</dt>
            <dd className={styles.command}>
              <code>{command}</code>
              <CopyButton text={`npx ${command}`} name="the command" />
            </dd>
          </>
        )}
      </dl>
    </>
  )
}
