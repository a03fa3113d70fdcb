// Answers with a single statement: it counts on the scope of the last answer, reads that of its own snapshot beside the
// rows, and is sent again where it is another one. What needs more than one statement has none of it: see answer-request.

import { containsHeight } from "../domain/range-set.js"
import { isMissingSchema } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import {
  type Answer,
  askedIn,
  isSettled,
  type ListRequest,
  listName,
  lookedUp,
  notFound,
  orderedList,
} from "./answer-request.js"
import { type AnswerScope, askedHeights, readScopeText, scopeMeta } from "./answer-scope.js"
import { JsonText } from "./json-text.js"
import type { KnownScope } from "./known-scopes.js"
import type { ApiResource, DetailResource, ListResource, RequestValues } from "./resource.js"
import { type FoundPage, type FoundRow, pageStatement, rowStatement, runStatement } from "./scoped-statement.js"
import type { ServedChain } from "./served-chain.js"

const mostTries = 3

/** Undefined: it takes more than that. */
export async function listAtOnce(
  chain: ServedChain,
  declared: ListResource,
  wanted: ListRequest,
): Promise<Answer | undefined> {
  if (!isSimple(chain, declared, wanted.values)) return undefined
  const { resource, request } = orderedList(declared, wanted)
  const { head, finalized } = await chain.head()
  const cursors = await chain.cursors()
  const list = listName(chain, resource, request)
  const cursor = request.cursor === undefined ? undefined : cursors.decode(list, request.cursor)
  const values = await lookedUp(chain, resource, request.values)
  const isWhole = request.from === undefined && request.to === undefined
  return counting(chain, resource, async (tx, scope) => {
    // Whether a rollback concerns it is asked of the store.
    if (cursor && cursor.epoch !== scope.epoch) return undefined
    const asked = askedIn(scope, { resource, request, values, head })
    const selection = await resource.select(tx, values)
    if (!selection) return undefined
    const page = { ...request, scope, asked, selection, after: cursor?.key }
    const counted = isWhole ? values : undefined
    const found = await runStatement<FoundPage>(tx, pageStatement(resource, { page, counted }))
    const answer = (): Answer => {
      const key = found.key === null ? undefined : (JSON.parse(found.key) as string[])
      const end = scope.covered.at(-1)?.to ?? scope.start
      const height = resource.height && key ? Number(key[0]) : end - 1
      const meta = {
        chain: chain.name,
        ...scopeMeta(scope, asked),
        required_workers: resource.workers,
        next_cursor: key ? cursors.encode(list, { epoch: scope.epoch, height, key }) : null,
        ...(found.total === null ? {} : { total: found.total }),
      }
      const isFinal = resource.height !== undefined && isSettled({ scope, asked, finalized, request })
      return { data: new JsonText(`[${found.rows ?? ""}]`), meta, isFinal }
    }
    return { found, answer }
  })
}

/** Undefined: it takes more than that. */
export async function detailAtOnce(
  chain: ServedChain,
  resource: DetailResource,
  values: RequestValues,
): Promise<Answer | undefined> {
  const one = isSimple(chain, resource, values) ? resource.one?.(values) : undefined
  if (!one) return undefined
  const { head, finalized } = await chain.head()
  return counting(chain, resource, async (tx, scope) => {
    const found = await runStatement<FoundRow>(tx, rowStatement(resource, one))
    const answer = (): Answer => {
      const height = found.height === null ? undefined : Number(found.height)
      if (found.row === null || (height !== undefined && !containsHeight(scope.covered, height)))
        throw notFound(resource, scope)
      const asked = askedHeights(scope, { head, ...(height === undefined ? {} : { from: height, to: height + 1 }) })
      const meta = {
        chain: chain.name,
        ...scopeMeta(scope, asked),
        required_workers: resource.workers,
        next_cursor: null,
      }
      const isFinal = height !== undefined && finalized !== null && height <= finalized
      return { data: new JsonText(found.row), meta, isFinal }
    }
    return { found, answer }
  })
}

function isSimple({ needs }: ServedChain, resource: ApiResource, values: RequestValues): boolean {
  if (resource.plansVary || values["at"] !== undefined) return false
  return !resource.needs || needs.areMet(resource.needs(values))
}

interface Attempt {
  readonly found: FoundPage | FoundRow
  /** Of a scope that turned out to be that of the snapshot. */
  answer(): Answer
}

async function counting(
  chain: ServedChain,
  resource: ApiResource,
  attempt: (tx: Queryable, scope: AnswerScope) => Promise<Attempt | undefined>,
): Promise<Answer | undefined> {
  const { scopes } = chain
  for (let tries = 0; tries < mostTries; tries++) {
    const known = scopes.of(resource) ?? (await firstScope(chain, resource))
    if (!known?.scope.isKnown) return undefined
    try {
      const made = await chain.readPrepared(resource.store, (tx) => attempt(tx, known.scope))
      if (!made) return undefined
      if (made.found.scope === known.text) return made.answer()
      scopes.note(resource, made.found.scope)
    } catch (error) {
      // A worker's tables are gone since, because it is derived again.
      if (!isMissingSchema(error)) throw error
      scopes.note(resource, null)
      return undefined
    }
  }
  return undefined
}

async function firstScope(chain: ServedChain, resource: ApiResource): Promise<KnownScope | undefined> {
  const text = await chain.readPrepared(resource.store, (tx) => readScopeText(tx, resource, { isLast: true }))
  chain.scopes.note(resource, text)
  return chain.scopes.of(resource)
}
