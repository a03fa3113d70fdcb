// Lines that should be there against lines that are: equal, or which row and which column is not. Both sides are also
// summed up in a SHA-256, so two runs can be compared without their tables.

import { createHash, type Hash } from "node:crypto"
import type { Table } from "./table.js"

type DifferenceKind =
  | "missing row"
  | "extra row"
  | "wrong value"
  | "missing table"
  | "missing column"
  // The database has it and the checker's list does not, so nobody vouches for it.
  | "unchecked column"

export interface Difference {
  readonly kind: DifferenceKind
  /** `column=value` of the key, or what the difference is about. */
  readonly key: string
  readonly column?: string
  readonly expected?: string
  readonly found?: string
}

export interface TableReport {
  readonly table: string
  readonly worker: string
  /** Blocks the worker covers: what was checked says nothing about the others. */
  readonly heights: number
  readonly rowsExpected: number
  readonly rowsFound: number
  readonly expectedDigest: string
  readonly foundDigest: string
  readonly differenceCount: number
  /** The first of them. */
  readonly differences: readonly Difference[]
}

const shownDifferences = 10

export class TableComparison {
  readonly #table: Table
  readonly #keyCells: readonly number[]
  readonly #expected: Hash = createHash("sha256")
  readonly #found: Hash = createHash("sha256")
  #rowsExpected = 0
  #rowsFound = 0
  #differenceCount = 0
  readonly #differences: Difference[] = []

  constructor(table: Table) {
    this.#table = table
    this.#keyCells = table.key.map((name) => table.columns.findIndex((column) => column.name === name))
  }

  /** Both sorted. What is given in one call is compared as a whole; the order of the calls is part of the digests. */
  compare(expected: readonly string[], found: readonly string[]): void {
    this.#rowsExpected += expected.length
    this.#rowsFound += found.length
    const expectedText = expected.map((line) => `${line}\n`).join("")
    const foundText = found.map((line) => `${line}\n`).join("")
    this.#expected.update(expectedText)
    this.#found.update(foundText)
    if (expectedText !== foundText) this.#explain(expected, found)
  }

  add(difference: Difference): void {
    this.#differenceCount++
    if (this.#differences.length < shownDifferences) this.#differences.push(difference)
  }

  report({ heights }: { readonly heights: number }): TableReport {
    return {
      table: this.#table.name,
      worker: this.#table.worker,
      heights,
      rowsExpected: this.#rowsExpected,
      rowsFound: this.#rowsFound,
      expectedDigest: this.#expected.digest("hex"),
      foundDigest: this.#found.digest("hex"),
      differenceCount: this.#differenceCount,
      differences: this.#differences,
    }
  }

  #explain(expected: readonly string[], found: readonly string[]): void {
    const missing = new Map<string, string>()
    for (const line of expected) missing.set(this.#keyOf(line), line)
    for (const line of found) {
      const key = this.#keyOf(line)
      const wanted = missing.get(key)
      // A second row of the same key is extra too: the first has taken its place.
      missing.delete(key)
      if (wanted === undefined) this.add({ kind: "extra row", key, found: shown(line) })
      else if (wanted !== line) this.#explainRow(key, wanted, line)
    }
    for (const [key, line] of missing) this.add({ kind: "missing row", key, expected: shown(line) })
  }

  #explainRow(key: string, expectedLine: string, foundLine: string): void {
    const expected = expectedLine.split("\t")
    const found = foundLine.split("\t")
    this.#table.columns.forEach(({ name }, i) => {
      if (expected[i] === found[i]) return
      const values = { expected: shown(expected[i]!), found: shown(found[i]!) }
      this.add({ kind: "wrong value", key, column: name, ...values })
    })
  }

  #keyOf(line: string): string {
    const cells = line.split("\t")
    return this.#keyCells.map((cell, i) => `${this.#table.key[i]}=${cells[cell]}`).join(" ")
  }
}

const shownLength = 400

/** For people: null by name, and no more than they can read. */
function shown(text: string): string {
  const readable = text.replaceAll("\\N", "null").replaceAll("\t", " ")
  return readable.length > shownLength ? `${readable.slice(0, shownLength)}…` : readable
}
