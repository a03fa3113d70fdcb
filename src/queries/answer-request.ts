// Answers a request for a list or a single thing: rows and how far they are complete, from one snapshot.

import type { BlockRange } from "../domain/block-range.js"
import { containsHeight } from "../domain/range-set.js"
import { allAnswered } from "../postgres/all-answered.js"
import type { Queryable } from "../postgres/transaction.js"
import { type AnswerMeta, type AnswerScope, askedHeights, readScope, scopeMeta, scopeWithin } from "./answer-scope.js"
import { assertNotRolledBack } from "./cursor.js"
import { JsonText } from "./json-text.js"
import { readPage } from "./read-page.js"
import { RequestError } from "./request-error.js"
import type { ApiResource, DetailResource, ListResource, OneRow, RequestValues } from "./resource.js"
import { type FoundRow, rowStatement, runStatement } from "./scoped-statement.js"
import type { ServedChain } from "./served-chain.js"
import { jsonRow } from "./value-schemas.js"

export interface ListRequest {
  readonly values: RequestValues
  /** Undefined: the list's own. */
  readonly order: "asc" | "desc" | undefined
  readonly limit: number
  readonly cursor: string | undefined
  /** Half-open. */
  readonly from: number | undefined
  readonly to: number | undefined
  /** What `from` and `to` come from, as it was given: a time may be of another height at the next page. */
  readonly limits?: Readonly<Record<string, string>>
}

export interface Answer {
  /** JSON, or JSON text of it. */
  readonly data: unknown
  readonly meta: AnswerMeta
  /** Nothing of its columns can change any more. */
  readonly isFinal: boolean
}

/** The route with everything that decides which rows are in the list, and in which order. */
export const listName = (
  chain: ServedChain,
  { path }: ListResource,
  { values, order, limits = {} }: Ordered,
): string => JSON.stringify([chain.name, path, Object.entries(values).sort(), order, Object.entries(limits).sort()])

export type Ordered = ListRequest & { readonly order: "asc" | "desc" }

/** The list as its `sort` and `order` say. */
export function orderedList(list: ListResource, asked: ListRequest): { resource: ListResource; request: Ordered } {
  const resource = { ...list, ...list.sorts?.[asked.values["sort"] ?? ""] }
  return { resource, request: { ...asked, order: asked.order ?? resource.order } }
}

export async function answerList(chain: ServedChain, declared: ListResource, wanted: ListRequest): Promise<Answer> {
  const { resource, request } = orderedList(declared, wanted)
  const { head, finalized } = await chain.head()
  const cursors = await chain.cursors()
  const list = listName(chain, resource, request)
  const cursor = request.cursor === undefined ? undefined : cursors.decode(list, request.cursor)
  const values = await lookedUp(chain, resource, request.values)
  return readAs(chain, { resource, values }, async (tx) => {
    const scope = await scopeOf(tx, { chain, resource, values })
    if (cursor) await assertNotRolledBack(tx, { store: resource.store, epoch: scope.epoch, cursor })
    const asked = askedIn(scope, { resource, request, values, head })
    const selection = scope.isKnown ? await resource.select(tx, values) : { branches: [], values: [] }
    if (!selection) throw notFound(resource)
    const page = { ...request, scope, asked, selection, after: cursor?.key, isLast: true }
    const isWhole = scope.isKnown && request.from === undefined && request.to === undefined
    // Sent together, the page last.
    const [total, found] = await allAnswered([
      isWhole ? readTotal(tx, resource, { request: values, scope }) : Promise.resolve(undefined),
      selection.branches.length === 0 ? Promise.resolve([]) : readPage(tx, resource, page),
    ])
    const rows = found.slice(0, request.limit)
    const last = rows.at(-1)
    const more = last && found.length > request.limit
    const end = scope.covered.at(-1)?.to ?? scope.start
    const meta: AnswerMeta = {
      chain: chain.name,
      ...scopeMeta(scope, asked),
      required_workers: resource.workers,
      next_cursor: more
        ? cursors.encode(list, {
            epoch: scope.epoch,
            height: resource.height ? Number(last.key[0]) : end - 1,
            key: last.key,
          })
        : null,
      ...(total === undefined ? {} : { total }),
    }
    const isFinal = resource.height !== undefined && isSettled({ scope, asked, finalized, request })
    return { data: rows.map(({ row }) => jsonRow(row)), meta, isFinal }
  })
}

/** What is summed up from events has no index in the order that is asked for: it is found by one, and then sorted. */
function readAs<T>(
  chain: ServedChain,
  { resource: { store, plansVary }, values }: { resource: ApiResource; values: RequestValues },
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  return plansVary || values["at"] !== undefined ? chain.read(store, work) : chain.readPrepared(store, work)
}

async function readTotal(
  tx: Queryable,
  { total }: ListResource,
  options: { readonly request: RequestValues; readonly scope: AnswerScope },
): Promise<string | undefined> {
  const values: unknown[] = []
  const sql = total?.({ ...options, value: (one) => `$${values.push(one)}` })
  if (sql === undefined) return undefined
  const { rows } = await tx.query<{ total: string }>(`select ${sql} as total`, values)
  return rows[0]!.total
}

async function readOne(tx: Queryable, resource: DetailResource, one: OneRow) {
  const { row, height } = await runStatement<FoundRow>(tx, rowStatement(resource, one))
  return row === null ? undefined : { data: new JsonText(row), height: height === null ? undefined : Number(height) }
}

/** With `at`, up to that block, which has to be covered. */
export function askedIn(
  scope: AnswerScope,
  {
    resource,
    request: { from, to },
    values: { at },
    head,
  }: {
    readonly resource: ApiResource
    readonly request: { readonly from?: number | undefined; readonly to?: number | undefined }
    readonly values: RequestValues
    readonly head: number | null
  },
): BlockRange {
  if (at === undefined) return askedHeights(scope, { from, to, head })
  if (!containsHeight(scope.covered, Number(at))) throw notFound(resource, scope)
  return askedHeights(scope, { from, to: Number(at) + 1, head })
}

/** Complete, final and bounded by the request itself. */
export function isSettled({
  scope,
  asked,
  finalized,
  request,
}: {
  scope: AnswerScope
  asked: BlockRange
  finalized: number | null
  request: ListRequest
}): boolean {
  if (request.to === undefined || finalized === null || asked.to !== request.to) return false
  // Where the end is a time, the first block after it has to be final too: another one in its place may be before it.
  if (asked.to > finalized + (request.limits?.["to_time"] === undefined ? 1 : 0)) return false
  return !scopeMeta(scope, asked).partial
}

export async function answerDetail(
  chain: ServedChain,
  resource: DetailResource,
  values: RequestValues,
): Promise<Answer> {
  const { head, finalized } = await chain.head()
  return readAs(chain, { resource, values }, async (tx) => {
    const scope = await scopeOf(tx, { chain, resource, values })
    const { from, to } = askedIn(scope, { resource, request: {}, values, head })
    const absent = resource.absent === undefined ? undefined : { data: resource.absent, height: undefined }
    const one = resource.one?.(values)
    const read = () => (one ? readOne(tx, resource, one) : resource.read?.(tx, { request: values, scope }))
    const found = scope.isKnown ? await read() : absent
    // What is not covered by all required workers is not shown, as in lists.
    if (!found || (found.height !== undefined && !containsHeight(scope.covered, found.height))) {
      throw notFound(resource, scope)
    }
    const { height } = found
    const asked = askedHeights(scope, {
      head,
      ...(height === undefined ? { from, to } : { from: height, to: height + 1 }),
    })
    const meta = {
      chain: chain.name,
      ...scopeMeta(scope, asked),
      required_workers: resource.workers,
      next_cursor: null,
    }
    return { data: found.data, meta, isFinal: height !== undefined && finalized !== null && height <= finalized }
  })
}

/** The request's values and what raw knows of them. */
export async function lookedUp(
  chain: ServedChain,
  resource: ApiResource,
  values: RequestValues,
): Promise<RequestValues> {
  if (!resource.lookup) return values
  const found = await chain.readPrepared("raw", (raw) => resource.lookup!(raw, values))
  if (!found) throw notFound(resource)
  return { ...values, ...found }
}

export async function scopeOf(
  tx: Queryable,
  { chain, resource, values }: { chain: ServedChain; resource: ApiResource; values: RequestValues },
): Promise<AnswerScope> {
  const scope = await readScope(tx, resource)
  if (!scope) throw new RequestError("NOT_FOUND", `the store of ${chain.name} is empty`)
  const heights = resource.needs && (await chain.needs.missing(tx, resource.needs(values)))
  if (!heights) return scope
  return { ...scopeWithin(scope, heights), isKnown: scope.isKnown && heights.length > 0 }
}

export const notFound = ({ path }: ApiResource, scope?: AnswerScope): RequestError =>
  new RequestError("NOT_FOUND", `there is no such ${path.slice(1).split("/")[0]} in what is covered`, {
    ...(scope ? { data_watermark: scope.watermark === null ? null : String(scope.watermark) } : {}),
  })
