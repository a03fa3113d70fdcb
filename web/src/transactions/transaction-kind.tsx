// What a transaction does, as far as its own fields tell, and whether it failed.

import type { ReactNode } from "react"
import { Tag } from "../parts/tag"
import { methodName } from "./method-name"

interface KindProps {
  readonly row: {
    readonly status: number | null
    readonly to_address: string | null
    readonly contract_address: string | null
    readonly method_id: string | null
  }
}

export function TransactionKind({ row }: KindProps): ReactNode {
  const { method_id: method } = row
  const isDeployment = row.to_address === null
  const kind = isDeployment ? "deploy" : method === null ? "send" : methodName(method)
  const isFailed = row.status === 0
  return (
    <Tag tone={isFailed ? "failed" : "plain"} {...(method === null ? {} : { title: `method ${method}` })}>
      {isFailed && "failed: "}
      {kind}
    </Tag>
  )
}
