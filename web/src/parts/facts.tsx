// Names and values of one thing.

import { Fragment, type ReactNode } from "react"
import styles from "./facts.module.css"

export interface Fact {
  readonly name: string
  /** Left out when undefined or null. */
  readonly value: ReactNode
}

export function Facts({ facts }: { readonly facts: readonly Fact[] }): ReactNode {
  return (
    <dl className={styles.facts}>
      {facts
        .filter(({ value }) => value !== undefined && value !== null)
        .map(({ name, value }) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  )
}

/** `isLong`: a phone has two lines for it, as for a hash. */
export type AwaitedFact = string | { readonly name: string; readonly isLong: boolean }

/** As high as the facts that are awaited. */
export function AwaitedFacts({ names }: { readonly names: readonly AwaitedFact[] }): ReactNode {
  const facts = names.map((fact) => {
    const { name, isLong } = typeof fact === "string" ? { name: fact, isLong: false } : fact
    return { name, value: <span className={isLong ? styles.longBone : styles.bone} /> }
  })
  return <Facts facts={facts} />
}
