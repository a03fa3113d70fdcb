// A client of the HTTP API, for browsers and Node, without dependencies. Its types are those of the routes.

import type { Routes } from "./api-types.generated.js"
import { jsonOf, queryText, type RequestOptions, sendRequest } from "./send-request.js"
import { type StreamEvent, type StreamOptions, streamEvents } from "./stream-events.js"
import { TidemarkError } from "./tidemark-error.js"

export interface ClientOptions {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string
  /** As in the config. */
  readonly chain: string
  readonly apiKey?: string
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: typeof globalThis.fetch
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

type Path = keyof Routes
export type ListPath = { [P in Path]: Routes[P] extends { readonly paged: true } ? P : never }[Path]
export type Row<P extends ListPath> = Routes[P]["answer"]["data"][number]

/** Required where the path names something. */
type Given<Args> =
  Record<never, never> extends Args
    ? readonly [args?: Args, options?: CallOptions]
    : readonly [args: Args, options?: CallOptions]

type Rows = Readonly<Record<string, object>>
type Digits = string | number | bigint

/** Of a user's own table. `filter` is on leading columns of its key or of an index. */
export interface TableArgs<TableRow> {
  readonly filter?: { readonly [Column in keyof TableRow]?: string | number | bigint | boolean }
  readonly order?: "asc" | "desc"
  readonly limit?: number
  readonly from_height?: Digits
  readonly to_height?: Digits
  readonly from_time?: string
  readonly to_time?: string
  readonly min_height?: Digits
  readonly min_block_hash?: string
}

export interface GraphqlRequest {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly operationName?: string
}

export interface TidemarkClient<Tables extends Rows = Rows> {
  /** One answer: a single thing, or one page of a list. */
  get<P extends Path>(path: P, ...given: Given<Routes[P]["args"]>): Promise<Routes[P]["answer"]>
  /** Page by page, each with how far it is complete. */
  pages<P extends ListPath>(path: P, ...given: Given<Routes[P]["args"]>): AsyncGenerator<Routes[P]["answer"], void>
  /** Row by row. */
  rows<P extends ListPath>(path: P, ...given: Given<Routes[P]["args"]>): AsyncGenerator<Row<P>, void>
  /** Rows of a worker's table: `createClient<TableRows<typeof myWorker>>(…)` types them. */
  tableRows<Name extends keyof Tables & string>(
    table: Name,
    args?: TableArgs<Tables[Name]>,
    options?: CallOptions,
  ): AsyncGenerator<Tables[Name], void>
  /** Endless: it reconnects and resumes. Ends when the signal aborts or the loop is left. */
  stream(options?: StreamOptions): AsyncGenerator<StreamEvent, void>
  graphql<Data>(request: GraphqlRequest, options?: CallOptions): Promise<Data>
}

interface AnyPage {
  readonly data: readonly unknown[]
  readonly meta: { readonly next_cursor: string | null }
}

export function createClient<Tables extends Rows = Rows>(options: ClientOptions): TidemarkClient<Tables> {
  const { chain, apiKey, headers = {}, fetch = globalThis.fetch } = options
  const request: RequestOptions = {
    url: options.url.replace(/\/+$/, ""),
    headers: { ...headers, ...(apiKey === undefined ? {} : { "x-api-key": apiKey }) },
    // Browsers want it called on nothing else.
    fetch: (...args) => fetch(...args),
  }
  const ask = async (path: string, args: object, { signal }: CallOptions): Promise<unknown> =>
    jsonOf(await sendRequest(request, `/v1/${chain}${pathText(path, args)}`, { signal }))
  async function* walk(path: string, args: object, call: CallOptions): AsyncGenerator<AnyPage, void> {
    let cursor: string | null | undefined
    do {
      const page = (await ask(path, { ...args, ...(cursor ? { cursor } : {}) }, call)) as AnyPage
      yield page
      cursor = page.meta.next_cursor
    } while (cursor !== null)
  }
  async function* each(path: string, args: object, call: CallOptions): AsyncGenerator<unknown, void> {
    for await (const { data } of walk(path, args, call)) yield* data
  }
  const client = {
    get: (path: string, args: object = {}, call: CallOptions = {}) => ask(path, args, call),
    pages: (path: string, args: object = {}, call: CallOptions = {}) => walk(path, args, call),
    rows: (path: string, args: object = {}, call: CallOptions = {}) => each(path, args, call),
    tableRows: (table: string, { filter = {}, ...args }: TableArgs<object> = {}, call: CallOptions = {}) =>
      each(
        "/tables/{table}",
        { ...args, table, filter: Object.entries(filter).map(([column, value]) => `${column}:${value}`) },
        call,
      ),
    stream: (stream: StreamOptions = {}) => streamEvents(request, { chain, ...stream }),
    graphql: (operation: GraphqlRequest, { signal }: CallOptions = {}) =>
      askGraphql(request, { path: `/graphql/${chain}`, operation, signal }),
  }
  // The implementation knows no route by its name: the generated types say what it takes and gives.
  return client as unknown as TidemarkClient<Tables>
}

/** Fills the path's places; what is left is the query. */
function pathText(path: string, args: object): string {
  const left = new Map(Object.entries(args))
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = left.get(name)
    left.delete(name)
    return encodeURIComponent(String(value))
  })
  return `${filled}${queryText(Object.fromEntries(left))}`
}

interface GraphqlAnswer {
  readonly data?: unknown
  readonly errors?: readonly { readonly message: string; readonly extensions?: Readonly<Record<string, unknown>> }[]
}

async function askGraphql(
  request: RequestOptions,
  { path, operation, signal }: { path: string; operation: GraphqlRequest; signal: AbortSignal | undefined },
): Promise<unknown> {
  const headers = { "content-type": "application/json", accept: "application/json" }
  const body = JSON.stringify(operation)
  const response = await sendRequest(request, path, { method: "POST", body, headers, signal })
  const { data, errors } = await jsonOf<GraphqlAnswer>(response)
  const [error] = errors ?? []
  if (!error) return data
  const { code, ...details } = error.extensions ?? {}
  throw new TidemarkError(error.message, {
    ...{ code: typeof code === "string" ? code : "GRAPHQL", status: response.status, details },
  })
}
