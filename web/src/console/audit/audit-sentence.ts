// What somebody did, as the rest of a sentence that begins with who it was. Pure. What it does not know is said by its name.

import type { RowOf } from "../../data/api-query"
import { formatNumber, plural } from "../../parts/format-number"
import { plainText } from "../../parts/plain-text"

export type AuditRow = RowOf<"/ops/audit">
type Details = Readonly<Record<string, unknown>>

export interface AuditSentence {
  /** Such as "skipped block 30 of ft_holdings_worker". */
  readonly did: string
  /** In the words of who acted, or of what went wrong before. */
  readonly why: string | undefined
}

export const auditSentence = ({ action, details }: AuditRow): AuditSentence => ({
  did: (sentences[action] ?? (() => `did: ${plainText(action, 40)}`))(details),
  why: whyOf(details),
})

const sentences: Readonly<Record<string, (details: Details) => string>> = {
  retry: (given) => `retried ${blocksOf(given)}${ofWorker(given)}`,
  skip: (given) => `skipped ${blocksOf(given)}${ofWorker(given)}`,
  pause: (given) => `paused ${workerOf(given)}`,
  resume: (given) => `resumed ${workerOf(given)}`,
  concurrency: (given) => {
    const most = given["concurrency"]
    if (typeof most !== "number") return `removed the limit of ranges at once of ${workerOf(given)}`
    return `limited ${workerOf(given)} to ${plural(most, "range")} at once`
  },
  rederive: (given) => {
    if (given["heights"] !== undefined) return `rederived ${blocksOf(given)}${ofWorker(given)}${dependents(given)}`
    const tables = listOf(given["tables"])
    const dropped = tables.length > 0 ? `: ${plural(tables.length, "table")} dropped` : ""
    return `rederived everything of ${workerOf(given)}${dropped}`
  },
  resolve: (given) => {
    const errors = Object.entries(recordOf(given["errors"]))
    const total = errors.reduce((sum, [, count]) => sum + (typeof count === "number" ? count : 0), 0)
    const [first] = errors
    const whose = errors.length === 1 ? ` of ${plainText(first![0])}` : ` of ${plural(errors.length, "worker")}`
    const where = given["height"] === undefined ? "" : ` at block ${heightText(given["height"])}`
    return `resolved ${plural(total, "error")}${whose}${where}`
  },
  rollback: (given) => {
    const count = given["blocks"]
    const removed = typeof count === "number" ? `, which removed ${plural(count, "block")}` : ""
    return `rolled the chain back to block ${heightText(given["to"])}${removed}`
  },
  "rollback cancel": (given) => `cancelled the rollback ${plainText(String(given["removes"] ?? "that was open"))}`,
  abi_add: (given) => `added the ABI ${named(given)}`,
  abi_remove: (given) => `removed the ABI ${named(given)}`,
  label_add: ({ labels, count }) => {
    const total = typeof count === "number" ? count : Object.keys(recordOf(labels)).length
    return `labelled ${plural(total, "address", "addresses")}${labelWords(labels)}`
  },
  label_remove: ({ labels }) => `removed the label${labelWords(labels)}`,
  repair: repaired,
  reconcile: ({ left }) => {
    const found = typeof left === "number" && left > 0 ? ` and left ${plural(left, "finding")} to a person` : ""
    return `checked the store for the night${found}`
  },
}

/** The actions that are known here, in the order of the filter. */
export const auditActions: readonly string[] = Object.keys(sentences)

function repaired(given: Details): string {
  const { lookups, deleted_uncovered_rows_of: strays, folded_anew: fold, rows, blocks_taken_back: refetched } = given
  if (lookups !== undefined) return "repaired the lookups of blocks and transactions"
  if (strays !== undefined) return `deleted rows of ${plainText(String(strays))} that no coverage has`
  if (fold !== undefined) return `computed ${plural(Number(rows ?? 0), "row")} of ${plainText(String(fold))} again`
  if (refetched !== undefined) return `fetched ${blocksOf(given)} again to repair them`
  return `rederived ${blocksOf(given)}${ofWorker(given)}${dependents(given)} to repair them`
}

function whyOf({ reason, halt, last_error: error }: Details): string | undefined {
  if (typeof reason === "string" && reason !== "") return `“${plainText(reason, 500)}”`
  if (typeof halt === "string" && halt !== "") return `ingestion halted: ${plainText(halt, 500)}`
  return typeof error === "string" && error !== "" ? `it had failed with: ${plainText(error, 500)}` : undefined
}

/** A block, a range, or what the database prints of heights. */
function blocksOf({ height, from, to, heights, blocks_taken_back: refetched }: Details): string {
  if (height !== undefined) return `block ${heightText(height)}`
  if (from !== undefined && to !== undefined) return rangeText(String(from), String(to))
  const text = String(heights ?? refetched ?? "")
  const [only, ...more] = [...text.matchAll(/\[(\d{1,15}),(\d{1,15})\)/g)]
  if (only && more.length === 0) return rangeText(only[1]!, only[2]!)
  return `blocks ${plainText(text)}`
}

const rangeText = (from: string, to: string): string =>
  Number(to) - Number(from) === 1
    ? `block ${heightText(from)}`
    : `blocks ${heightText(from)} to ${heightText(Number(to) - 1)}`

const heightText = (height: unknown): string =>
  /^\d{1,15}$/.test(String(height)) ? formatNumber(String(height)) : plainText(String(height))

const workerOf = ({ worker_type: worker }: Details): string => plainText(String(worker ?? "a worker"))
const ofWorker = (given: Details): string => (given["worker_type"] === undefined ? "" : ` of ${workerOf(given)}`)

function dependents({ dependents: given }: Details): string {
  const names = listOf(given)
  return names.length === 0 ? "" : `, with the ${plural(names.length, "worker")} that depend on it`
}

/** The first of them. */
function labelWords(given: unknown): string {
  const [first] = Object.entries(recordOf(given))
  return first ? `: ${plainText(first[0])}, “${plainText(String(first[1]))}”` : ""
}

const named = ({ name, address, entries }: Details): string => {
  const whose = address === "any" || address === undefined ? "for any contract" : `of ${plainText(String(address))}`
  const size = typeof entries === "number" ? `, ${plural(entries, "entry", "entries")}` : ""
  return `“${plainText(String(name ?? ""))}” ${whose}${size}`
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
