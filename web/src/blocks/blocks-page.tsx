// All blocks, newest first.

import { useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { ApiList } from "../lists/api-list"
import { Page } from "../shell/page"
import { blockColumns } from "./block-columns"

export function BlocksPage(): ReactNode {
  const { cursor } = useSearch({ from: "/$chain/blocks" })
  return (
    <Page title="Blocks" sub="As they are stored, the newest first.">
      <ApiList
        title={cursor === undefined ? "Newest" : "Older"}
        path="/blocks"
        args={{}}
        cursor={cursor}
        columns={blockColumns}
        keyOf={({ hash }) => hash}
        heightOf={({ height }) => height}
        empty="No block is stored yet. The first appears here within seconds of the start."
      />
    </Page>
  )
}
