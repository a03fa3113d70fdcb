// An address without a page.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { Notice } from "../parts/notice"
import { Page } from "../shell/page"

export function NoPage(): ReactNode {
  return (
    <Page title="No such page">
      <Notice title="There is no page at this address">
        <p>
          <Link to="/">Go to the start</Link>
        </p>
      </Notice>
    </Page>
  )
}
