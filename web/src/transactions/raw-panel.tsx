// A transaction and its receipt with its logs, as the node sent them, every digit of them.

import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { kept } from "../data/api-query"
import { isMissing } from "../data/fault-of"
import { readAnswer } from "../data/read-json"
import { CopyButton } from "../parts/copy-button"
import { ErrorNotice } from "../parts/error-notice"
import { formatNumber } from "../parts/format-number"
import { Notice } from "../parts/notice"
import { Panel } from "../parts/panel"
import { indentJson } from "./indent-json"
import styles from "./input-panel.module.css"

/** A page of a megabyte is of no use to anybody. */
const shownLetters = 100_000

export function RawPanel({ hash }: { readonly hash: string }): ReactNode {
  const chain = useChain()
  const path = `/v1/${encodeURIComponent(chain)}/transactions/${encodeURIComponent(hash)}/raw`
  const { data, error, refetch } = useQuery({
    queryKey: ["chain", chain, "/transactions/{hash}/raw", hash] as const,
    queryFn: async ({ signal }) => dataOf(await (await readAnswer(path, signal)).text()),
    ...kept,
  })
  if (error && !data) {
    if (isMissing(error)) return <Notice title="It is not stored any more" />
    return <ErrorNotice error={error} onRetry={() => void refetch()} />
  }
  const text = data === undefined ? "" : indentJson(data, shownLetters)
  return (
    <Panel
      title="As the node sent it"
      quiet={data && `${formatNumber(data.length)} letters`}
      side={
        data && (
          <>
            <a href={path}>JSON</a>
            <CopyButton text={data} name="JSON" />
          </>
        )
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also with the keys. */}
      <pre className={styles.words} aria-busy={data === undefined} tabIndex={0}>
        {text}
      </pre>
      {data && data.length > shownLetters && (
        <p className={styles.none}>The first {formatNumber(shownLetters)} letters. Copy has all.</p>
      )}
    </Panel>
  )
}

/** The text of `data`: parsed, numbers beyond 2^53 would lose digits. */
function dataOf(answer: string): string {
  const [start, end] = ['{"data":', answer.lastIndexOf(',"meta":{')] as const
  return answer.startsWith(start) && end > 0 ? answer.slice(start.length, end) : answer
}
