// What each key does.

import { type ReactNode, useEffect, useRef } from "react"
import styles from "./keys.module.css"

const keyHelp: readonly (readonly [string, string])[] = [
  ["/", "Search"],
  ["j  k", "Next and previous row; Enter opens it"],
  ["[  ]", "Previous and next block"],
  ["n", "Next page of a list"],
  ["c", "Copy what has the focus, or the page's subject"],
  ["?", "This list"],
]

export function KeyList({ onClose }: { readonly onClose: () => void }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} className={styles.keys} aria-labelledby="keys-title" onClose={onClose}>
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
