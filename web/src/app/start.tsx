// The root, while there is no chain to go to.

import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { chainsQuery } from "../data/chains-query"
import { ErrorNotice } from "../parts/error-notice"
import { Notice } from "../parts/notice"
import { Page } from "../shell/page"

export function Start(): ReactNode {
  const { error, refetch } = useQuery({ ...chainsQuery, refetchInterval: 3_000 })
  return (
    <Page title="Tidemark">
      {error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : (
        <Notice title="No chain runs here yet">
          <p>Tidemark is starting: it waits for its database or its node. Reload in a few seconds.</p>
        </Notice>
      )}
    </Page>
  )
}
