// What a page says of a thing that was rolled back while it was read. It stands beside other words, so that nothing moves.

import type { ReactNode } from "react"
import styles from "./rolled-back.module.css"
import { Tag } from "./tag"

/** A heading with the mark of what is no longer on the chain. */
export const MarkedHeading = ({ title, isGone }: { readonly title: string; readonly isGone: boolean }): ReactNode => (
  <>
    {title} {isGone && <Tag tone="failed">rolled back</Tag>}
  </>
)

interface RolledBackProps {
  /** Where it, or what took its place, is now. */
  readonly now?: { readonly words: string; readonly onShow: () => void } | undefined
}

export const RolledBack = ({ now }: RolledBackProps): ReactNode => (
  <span role="alert" className={styles.words}>
    Not on the chain any more, since a reorganisation.{" "}
    {now ? (
      <button type="button" onClick={now.onShow}>
        {now.words}
      </button>
    ) : (
      "Nothing has taken its place yet."
    )}
  </span>
)
