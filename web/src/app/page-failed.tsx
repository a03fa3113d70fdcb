// A page that threw: the rest of the pages goes on.

import type { ErrorComponentProps } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { ErrorNotice } from "../parts/error-notice"
import { Page } from "../shell/page"

export function PageFailed({ error, reset }: ErrorComponentProps): ReactNode {
  return (
    <Page title="This page failed">
      <ErrorNotice error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
    </Page>
  )
}
