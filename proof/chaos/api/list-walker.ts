// Walks a list page by page for ever, over restarts of the server, and compares each page with what the node has said: a page
// has exactly the rows that its own coverage promises, all of one branch, and goes on where the one before ended.

import type { Chain } from "../../../test/chain/synthetic-chain.js"
import { pause } from "../../../test/support/wait-until.js"
import { type ApiAnswer, askApi } from "./ask-api.js"
import type { ChainTruth, Heights, ListKind, ListPart, Place } from "./chain-truth.js"

export interface ListWalkerOptions {
  /** Of the chain: `http://…/v1/{chain}`. */
  readonly url: string
  readonly kind: ListKind
  readonly order: "asc" | "desc"
  readonly limit: number
  /** Between two pages. */
  readonly everyMs: number
  readonly truth: ChainTruth
  readonly signal: AbortSignal
}

/** Where a page ended, and the branches on which it was true. */
interface Position {
  readonly place: Place
  readonly branches: readonly Chain[]
  readonly cursor: string
}

export class ListWalker {
  pages = 0
  walks = 0
  rolledBack = 0
  rows = 0
  readonly violations: string[] = []
  /** Rejects never: what goes wrong is a violation. */
  readonly done: Promise<void>

  constructor(private readonly options: ListWalkerOptions) {
    this.done = this.#walk()
  }

  async #walk(): Promise<void> {
    let position: Position | undefined
    while (!this.options.signal.aborted && this.violations.length < 5) {
      try {
        position = await this.#page(position)
        await pause(this.options.everyMs)
      } catch (error) {
        this.violations.push(String(error))
        position = undefined
      }
    }
  }

  async #page(position: Position | undefined): Promise<Position | undefined> {
    const { url, kind, order, limit, signal } = this.options
    const cursor = position ? `&cursor=${position.cursor}` : ""
    const path = `${url}/${kind}?order=${order}&limit=${limit}${cursor}`
    const answer = await askApi(path, { signal, mayFail: ["CURSOR_ROLLED_BACK", "NOT_FOUND"] })
    // The store belongs to no chain yet.
    if (!answer || answer.error?.code === "NOT_FOUND") return undefined
    if (answer.error) {
      const restart = Number(answer.error.details["restart_height"])
      if (!position || restart > position.place.height)
        this.#violation(path, `refuses a cursor of ${position?.place.height} for a rollback from ${restart}`)
      this.rolledBack++
      return undefined
    }
    const next = this.#check(path, { answer, position })
    this.pages++
    this.rows += answer.data.length
    if (!next) this.walks++
    return next
  }

  #check(
    path: string,
    { answer, position }: { answer: ApiAnswer; position: Position | undefined },
  ): Position | undefined {
    const { kind, order, limit, truth } = this.options
    const rows = answer.data as Record<string, string>[]
    const coverage = coverageOf(answer)
    const places = rows.map((row) => placeOf(kind, row))
    for (const { height } of places)
      if (!isIn(coverage, height)) this.#violation(path, `shows height ${height} outside of its coverage`)
    const mark = answer.meta.data_watermark
    if (mark !== null && !(coverage[0]?.from === 0 && Number(mark) < coverage[0].to))
      this.#violation(path, `has the watermark ${mark} outside of its coverage`)
    const cursor = answer.meta.next_cursor
    if (rows.length > limit || (cursor !== null && rows.length !== limit))
      this.#violation(path, `has ${rows.length} rows of ${limit} before its end`)
    const part: ListPart = {
      ...{ kind, order, coverage, after: position?.place },
      last: cursor === null ? undefined : places.at(-1),
    }
    const ids = rows.map((row) => row[kind === "blocks" ? "hash" : "transaction_hash"]!)
    const isTrueOn = (branch: Chain): boolean => same(truth.rows(branch, part), ids)
    const branches = truth.branches.filter(isTrueOn)
    if (branches.length === 0) {
      const expected = truth.rows(truth.branches[0]!, part)
      const at = ids.findIndex((id, i) => id !== expected[i])
      const where =
        at < 0 ? `${ids.length} rows, not ${expected.length}` : `${JSON.stringify(places[at])} is row ${at}`
      this.#violation(path, `is true of no branch: ${where}`)
    } else if (position && !branches.some((one) => agree(one, position))) {
      this.#violation(path, `goes on after ${position.place.height} on another branch`)
    }
    const place = places.at(-1)
    return cursor === null || !place ? undefined : { place, branches, cursor }
  }

  #violation(path: string, text: string): void {
    this.violations.push(`${path} ${text}`)
  }
}

/** The block at which the page before ended is on the branch too. */
const agree = (branch: Chain, { place, branches }: Position): boolean =>
  branches.some((one) => one.hashAt(place.height) === branch.hashAt(place.height))

const placeOf = (kind: ListKind, row: Record<string, string>): Place =>
  kind === "blocks"
    ? { height: Number(row["height"]), index: 0 }
    : { height: Number(row["block_height"]), index: Number(row["transaction_index"]) }

export const coverageOf = ({ meta }: ApiAnswer): Heights[] =>
  meta.coverage.map(({ from, to }) => ({ from: Number(from), to: Number(to) }))

const isIn = (coverage: readonly Heights[], height: number): boolean =>
  coverage.some(({ from, to }) => from <= height && height < to)

const same = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((id, i) => id === other[i])
