// One chain among others: what the doctor says, how far it is, what waits for a person, and the way to its console.

import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { apiQuery } from "../../data/api-query"
import type { ChainStatus } from "../../data/status-query"
import { plainText } from "../../parts/plain-text"
import { tideSegments } from "../../shell/tide-segments"
import { StateMark } from "../figures/state-mark"
import styles from "./chain-card.module.css"
import { chainFigures, stateTones } from "./chain-figures"
import { saidOf, sentence } from "./diagnosis-words"

const buckets = 120

interface ChainCardProps {
  readonly chain: string
  /** Undefined while it is awaited. */
  readonly status: ChainStatus | undefined
}

export function ChainCard({ chain, status }: ChainCardProps): ReactNode {
  const diagnosis = status?.diagnosis
  return (
    <Link
      to="/console/$chain"
      params={{ chain }}
      className={`${styles.card} ${diagnosis ? styles[diagnosis.state] : ""}`}
    >
      <span className={styles.name}>
        <b>{chain}</b>
        {diagnosis && <StateMark tone={stateTones[diagnosis.state]}>{diagnosis.state}</StateMark>}
      </span>
      <span className={styles.message}>{diagnosis ? plainText(saidOf(diagnosis.message, chain), 240) : "\u00a0"}</span>
      {diagnosis?.todo && (
        <span className={styles.todo}>You: {plainText(sentence(diagnosis.todo, false).replaceAll("`", ""), 300)}</span>
      )}
      <Gauge chain={chain} />
      <span className={styles.figures}>
        {chainFigures(status).map(({ name, value, tone }) => (
          <span key={name} className={tone && styles[tone]}>
            <span className={styles.label}>{name}</span> <b>{value}</b>
          </span>
        ))}
      </span>
    </Link>
  )
}

/** One that does not run yet, with what it waits for. */
export function StartingCard({ chain, reason }: { readonly chain: string; readonly reason: string }): ReactNode {
  return (
    <div className={`${styles.card} ${styles.starting}`}>
      <span className={styles.name}>
        <b>{chain}</b>
        <StateMark tone="quiet">starting</StateMark>
      </span>
      <span className={styles.message}>{plainText(sentence(reason), 300)}</span>
    </div>
  )
}

/** As high as one. */
export const AwaitedCard = (): ReactNode => <div className={`${styles.card} ${styles.awaited}`} />

function Gauge({ chain }: { readonly chain: string }): ReactNode {
  const { data } = useQuery({ ...apiQuery(chain, "/coverage", { buckets }), refetchInterval: 15_000 })
  const [from, span] = data ? [BigInt(data.from), Number(BigInt(data.to) - BigInt(data.from)) || 1] : [0n, 1]
  return (
    <span className={styles.gauge} aria-hidden="true">
      {data &&
        tideSegments(data).map((segment) => (
          <span
            key={String(segment.from)}
            className={styles[segment.level]}
            style={{
              left: `${(Number(segment.from - from) / span) * 100}%`,
              width: `${(Number(segment.to - segment.from) / span) * 100}%`,
            }}
          />
        ))}
    </span>
  )
}
