// The newest blocks, which stay as they are until somebody asks for newer ones.

import type { ReactNode } from "react"
import { shortBlockColumns } from "../blocks/block-columns"
import { ApiList } from "../lists/api-list"
import { latestShown } from "./latest-shown"

export const LatestBlocks = (): ReactNode => (
  <ApiList
    title="Blocks"
    path="/blocks"
    args={{ limit: latestShown }}
    awaited={latestShown}
    columns={shortBlockColumns}
    keyOf={({ hash }) => hash}
    heightOf={({ height }) => height}
    empty="No block is stored yet."
  />
)
