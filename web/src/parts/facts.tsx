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

/** As high as the facts that are awaited. */
export function AwaitedFacts({ names }: { readonly names: readonly string[] }): ReactNode {
  return <Facts facts={names.map((name) => ({ name, value: <span className={styles.bone} /> }))} />
}
