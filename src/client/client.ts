// What `import { createClient } from "tidemark/client"` gives. It must not import code from outside this folder.

export type { Meta, Routes } from "./api-types.generated.js"
export {
  type CallOptions,
  type ClientOptions,
  createClient,
  type GraphqlRequest,
  type ListPath,
  type Row,
  type TableArgs,
  type TidemarkClient,
} from "./create-client.js"
export type { StreamData, StreamEvent, StreamOptions } from "./stream-events.js"
export type { TableRows } from "./table-row.js"
export { TidemarkError } from "./tidemark-error.js"
