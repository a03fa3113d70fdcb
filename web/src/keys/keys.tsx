// The keys, and the list of them.

import { type ReactNode, useEffect, useRef } from "react"
import styles from "./keys.module.css"
import { keyHelp, useKeys } from "./use-keys"

export function Keys(): ReactNode {
  const [isOpen, close] = useKeys()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
  }, [isOpen])
  return (
    <dialog ref={dialog} className={styles.keys} aria-labelledby="keys-title" onClose={close}>
      <h2 id="keys-title">Keys</h2>
      <dl>
        {keyHelp.map(([key, words]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  )
}
