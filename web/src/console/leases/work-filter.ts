// What of the work is shown, as text that people type and as what the address has. Pure.

import type { Filters } from "../../app/read-paging"

/** What the address has. Without one, what is open is shown: dead blocks stand above, in groups. */
type ShownStatus = "OPEN" | "ACTIVE" | "FAILED" | "DEAD" | "ALL"
export type WorkFilter = Pick<Filters, "worker" | "status" | "code" | "fault" | "height">

const names = ["worker", "status", "code", "fault", "height"] as const
type Name = (typeof names)[number]

const statuses: Readonly<Record<string, ShownStatus>> = {
  ...{ open: "OPEN", active: "ACTIVE", running: "ACTIVE" },
  ...{ failed: "FAILED", waiting: "FAILED", retrying: "FAILED", dead: "DEAD", all: "ALL" },
}
export const statusWords: Readonly<Record<ShownStatus, string>> = {
  ...{ OPEN: "open", ACTIVE: "running", FAILED: "waiting", DEAD: "dead", ALL: "all" },
}

/** Blocks, or one block. */
const heights = /^(\d{1,15})(?:-(\d{1,15}))?$/

interface Parsed {
  readonly filter: WorkFilter
  /** Words that mean nothing here. */
  readonly unknown: readonly string[]
}

/** `worker:token status:dead`, or the values alone where they cannot be mistaken. */
export function parseWorkFilter(text: string, workers: readonly string[]): Parsed {
  const filter: Partial<Record<Name, string>> = {}
  const unknown: string[] = []
  for (const word of text.split(/\s+/).filter((one) => one !== "")) {
    const [, name, value = ""] = /^([a-z]+):(.*)$/.exec(word) ?? [undefined, undefined, word]
    const known = name === undefined ? guess(value, workers) : read(name, value, workers)
    if (known) filter[known[0]] = known[1]
    else unknown.push(word)
  }
  const { worker: _worker, ...others } = filter
  // Who asks for an error means dead blocks too.
  if (Object.keys(others).length > 0) filter.status ??= "ALL"
  return { filter, unknown }
}

export const formatWorkFilter = (filter: WorkFilter): string =>
  names
    .flatMap((name) => {
      const value = filter[name]
      return value === undefined ? [] : [`${name}:${name === "status" ? wordOf(value) : value}`]
    })
    .join(" ")

/** As /ops/leases takes them. What it does not know it refuses with a message. */
export function leaseArgs({ worker, status, code, fault, height }: WorkFilter) {
  const [, first, last] = heights.exec(height ?? "") ?? []
  return {
    ...{ worker, code, fault },
    status: status === "ALL" ? undefined : ((status ?? "OPEN") as Exclude<ShownStatus, "ALL">),
    from_height: first,
    to_height: first === undefined ? undefined : String(BigInt(last ?? first) + 1n),
  }
}

const wordOf = (status: string): string => statusWords[status as ShownStatus] ?? status

function read(name: string, value: string, workers: readonly string[]): [Name, string] | undefined {
  if (name === "worker") {
    const worker = findWorker(value, workers)
    return worker === undefined ? undefined : ["worker", worker]
  }
  if (name === "status") {
    const status = statuses[value.toLowerCase()]
    return status && ["status", status]
  }
  if (name === "code") return /^\w{1,40}$/.test(value) ? ["code", value.toUpperCase()] : undefined
  if (name === "fault") return /^[0-9a-f]{32}$/.test(value) ? ["fault", value] : undefined
  const plain = value.replaceAll(",", "")
  return name === "height" && heights.test(plain) ? ["height", plain] : undefined
}

function guess(word: string, workers: readonly string[]): [Name, string] | undefined {
  const isCode = /^[A-Z]+(_[A-Z]+)*$/.test(word)
  return (
    read("height", word, workers) ??
    read("status", word, workers) ??
    (isCode ? read("code", word, workers) : read("worker", word, workers))
  )
}

/** By its name, by the name without what all have, or by a part that only one has. */
function findWorker(text: string, workers: readonly string[]): string | undefined {
  const exact = workers.find((name) => name === text || name === `${text}_worker`)
  if (exact !== undefined || text === "") return exact
  const like = workers.filter((name) => name.includes(text))
  return like.length === 1 ? like[0] : undefined
}
