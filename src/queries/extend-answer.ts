// Adds to the rows of an answer what their resource makes of them. It needs the rows as such, not only their text.

import type { Answer } from "./answer-request.js"
import { JsonText } from "./json-text.js"
import type { ApiResource } from "./resource.js"
import type { ServedChain } from "./served-chain.js"

export interface Extended extends Answer {
  readonly isExtended: boolean
}

type Row = Readonly<Record<string, unknown>>

export async function extendAnswer(
  chain: ServedChain,
  { extension }: Pick<ApiResource, "extension">,
  answer: Answer,
): Promise<Extended> {
  if (!extension) return { ...answer, isExtended: false }
  const data = (answer.data instanceof JsonText ? JSON.parse(answer.data.text) : answer.data) as Row | readonly Row[]
  const rows = Array.isArray(data) ? (data as readonly Row[]) : [data as Row]
  const added = await extension.extend(rows, {
    abis: chain.abis,
    readApp: (work) => chain.readPrepared("app", work),
  })
  const extended = rows.map((row, at) => ({ ...row, ...added[at] }))
  return {
    ...answer,
    data: new JsonText(JSON.stringify(Array.isArray(data) ? extended : extended[0])),
    isExtended: true,
  }
}
