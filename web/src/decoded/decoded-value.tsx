// A value of a call or an event as its type says. Texts are the sender's own words: plain, bounded, and quoted.

import type { ReactNode } from "react"
import { Address } from "../parts/address"
import { formatNumber } from "../parts/format-number"
import { Hash } from "../parts/hash"
import { plainText } from "../parts/plain-text"
import styles from "./decoded-value.module.css"

export interface DecodedArgument {
  readonly name: string
  readonly type: string
  readonly value: unknown
  readonly hashed?: boolean
}

interface DecodedValueProps {
  readonly type: string
  readonly value: unknown
  /** In a list: short, on one line. */
  readonly short?: boolean
}

/** A page of a thousand values is of no use to anybody. */
const mostShown = 50

export function DecodedValue({ type, value, short = false }: DecodedValueProps): ReactNode {
  if (Array.isArray(value)) {
    if (short) return <span className="quiet">{countOf(type, value)}</span>
    return type.endsWith("]") ? <Elements type={type} values={value} /> : <Parts parts={value as DecodedArgument[]} />
  }
  if (typeof value === "boolean") return <code>{String(value)}</code>
  if (typeof value !== "string") return null
  if (type === "address") return <Address address={value} whole={!short} />
  if (type === "string") return <Words text={value} longest={short ? 32 : 400} />
  if (type.startsWith("bytes") || type === "function") return <Bytes value={value} name={type} short={short} />
  return short ? <Digits value={value} /> : <code className={styles.whole}>{value}</code>
}

/** Names and values of a tuple or of all arguments. */
export function Parts({ parts }: { readonly parts: readonly DecodedArgument[] }): ReactNode {
  return (
    <dl className={styles.parts}>
      {parts.map(({ name, type, value, hashed }, at) => (
        // Names may be missing, and need not differ.
        // biome-ignore lint/suspicious/noArrayIndexKey: their places are what tells them apart.
        <div key={at}>
          <dt>
            {name || <span className="quiet">{at}</span>} <code className={styles.type}>{type}</code>
          </dt>
          <dd>{hashed ? <Hashed type={type} value={value} /> : <DecodedValue type={type} value={value} />}</dd>
        </div>
      ))}
    </dl>
  )
}

function Elements({ type, values }: { readonly type: string; readonly values: readonly unknown[] }): ReactNode {
  const element = type.slice(0, type.lastIndexOf("["))
  if (values.length === 0) return <span className="quiet">none</span>
  return (
    <ol className={styles.elements} start={0}>
      {values.slice(0, mostShown).map((value, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: their places are what tells them apart.
        <li key={at}>
          <DecodedValue type={element} value={value} />
        </li>
      ))}
      {values.length > mostShown && (
        <li className="quiet">{formatNumber(values.length - mostShown)} more: the API has all of them.</li>
      )}
    </ol>
  )
}

const countOf = (type: string, values: readonly unknown[]): string =>
  type.endsWith("]") ? `${formatNumber(values.length)} × ${type.slice(0, type.lastIndexOf("["))}` : type

function Words({ text, longest }: { readonly text: string; readonly longest: number }): ReactNode {
  return (
    <q className={styles.words}>
      <bdi>{plainText(text, longest)}</bdi>
    </q>
  )
}

function Bytes({ value, name, short }: { value: string; name: string; short: boolean }): ReactNode {
  if (value === "0x") return <span className="quiet">no bytes</span>
  if (short || value.length <= 66) return <Hash value={value} name={name} whole={!short} />
  return (
    <>
      <code className={styles.whole}>{value.slice(0, 514)}</code>
      {value.length > 514 && <span className="quiet">… {formatNumber(value.length / 2 - 1)} bytes</span>}
    </>
  )
}

function Digits({ value }: { readonly value: string }): ReactNode {
  return (
    <code title={value.length > 20 ? value : undefined}>
      {value.length > 20 ? `${value.slice(0, 8)}…${value.slice(-6)}` : value}
    </code>
  )
}

/** Of what is longer than a word, an event has the hash only. */
export function Hashed({ type, value }: { readonly type: string; readonly value: unknown }): ReactNode {
  return (
    <>
      <span className="quiet">{type.length > 12 ? "value" : type} with the hash</span>{" "}
      <Hash value={String(value)} name="hash" />
    </>
  )
}
