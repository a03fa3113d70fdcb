// `tidemark status` as people see it: one block of lines per chain, for 80 columns, wider where there is room. Pure.

import { rawIngester } from "../coordination/raw-ingester.js"
import { countHeights } from "../domain/range-set.js"
import { printable } from "../platform/printable.js"
import { roles as allRoles } from "../roles/role.js"
import type { ChainStatus, ProcessRow, ProviderSummary, RollbackStatus } from "../status/chain-status.js"
import type { Diagnosis } from "../status/diagnosis.js"
import { drawCoverage } from "./draw-coverage.js"
import { drawWorkers } from "./draw-workers.js"
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatHeight,
  formatPercent,
  formatRate,
  shorten,
  wrap,
} from "./format-values.js"
import { createPaint, type Paint } from "./paint.js"

export interface RenderOptions {
  readonly columns: number
  readonly colour: boolean
}

const labelWidth = 11
const maxColumns = 120
const maxRows = 8

export function renderStatus(status: ChainStatus, diagnosis: Diagnosis, options: RenderOptions): string {
  const columns = Math.max(60, Math.min(maxColumns, options.columns))
  const paint = createPaint(options.colour)
  const look: Look = { columns, paint }
  const lists = [
    ...section(
      "processes",
      status.processes.map((process) => processLine(process, paint)),
      look,
    ),
    ...section(
      "providers",
      status.providers.map((provider) => providerLine(provider, status, paint)),
      look,
    ),
    ...section(
      "unchecked",
      status.unchecked.map((text) => [{ text }]),
      look,
    ),
    ...section("dead", deadLines(status, paint), look),
  ]
  const workers = drawWorkers(status.workers, { width: columns - labelWidth - 2, paint }).map(
    (line, i) => ` ${paint.dim((i === 0 ? "workers" : "").padEnd(labelWidth))} ${line}`,
  )
  const blocks = [
    [title(status, look)],
    bar(status, look),
    pairs(facts(status), look),
    workers,
    lists,
    doctor(diagnosis, look),
  ]
  const lines = blocks.filter((block) => block.length > 0).flatMap((block, i) => (i === 0 ? block : ["", ...block]))
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`
}

interface Look {
  readonly columns: number
  readonly paint: Paint
}

/** A line of parts, so that widths are known before colours are added. */
interface Part {
  readonly text: string
  readonly paint?: (text: string) => string
  /** Left out where it does not fit; others are cut. */
  readonly whole?: boolean
}

function title(
  { name, chainId, epoch, head, follower, followerAgeMs }: ChainStatus,
  { columns, paint }: Look,
): string {
  const left = ` ${name}`
  const id = chainId === null ? "not started yet" : `chain ${chainId}`
  const rolled = epoch > 0 ? `, epoch ${epoch}` : ""
  const follows = follower !== null && (followerAgeMs ?? Number.POSITIVE_INFINITY) < 30_000
  const right =
    head === null
      ? "waiting for a head"
      : follows
        ? `head followed by ${printable(follower)}`
        : "no process follows the head"
  const middle = `  ${id}${rolled}`
  const room = columns - left.length - middle.length - 1
  const colour = follows ? paint.live : paint.busy
  return `${paint.strong(left)}${paint.dim(middle)}${colour(shorten(right, room).padStart(room))}`
}

function bar(status: ChainStatus, { columns, paint }: Look): string[] {
  const percent = formatPercent(status.percent)
  const cells = columns - 12
  const ends = [formatHeight(status.start), status.head === null ? "?" : formatHeight(status.head)] as const
  return [
    ` ${drawCoverage(status, { cells, paint })} ${paint.strong(percent.padStart(9))}`,
    ` ${paint.dim(ends[0])}${paint.dim(ends[1].padStart(cells - ends[0].length))}`,
  ]
}

function facts(status: ChainStatus): [string, string][] {
  const { head, headAgeMs, finalized, lag, store, unindexed, workers, derivedPercent, openErrors } = status
  // Workers that derive have their own lines; a sum over all workers would mean nothing.
  const ingester = workers.find(({ worker }) => worker === rawIngester)
  const gaps = ingester?.gaps ?? []
  const skipped = workers.reduce((total, worker) => total + countHeights(worker.skipped), 0)
  const perSecond = ingester?.blocksPerSecond.last60s ?? 0
  const perSecondNow = ingester?.blocksPerSecond.last10s ?? 0
  return [
    ["watermark", watermarkText(status, ingester?.watermark ?? null)],
    ["head", `${formatHeight(head)}${headAgeMs === null ? "" : `  ${formatDuration(headAgeMs)} ago`}`],
    ["finalized", formatHeight(finalized)],
    ["lag", lag === null ? "–" : lag === 0 ? "none" : `${formatHeight(lag)} block${lag === 1 ? "" : "s"}`],
    ["rate", `${formatRate(perSecond)}, now ${formatCount(perSecondNow)}`],
    ["history in", etaText(status)],
    ["leases", leasesText(workers)],
    ...(status.rollback ? [["rollback", rollbackText(status.rollback)] as [string, string]] : []),
    ["gaps", gaps.length === 0 ? "none" : `${gaps.length}, ${formatHeight(countHeights(gaps))} blocks`],
    ["store", storeText(store)],
    ["room", roomText(status)],
    ...(derivedPercent === null ? [] : [["derived", formatPercent(derivedPercent)] as [string, string]]),
    ...(openErrors > 0 ? [["errors", `${formatHeight(openErrors)} open`] as [string, string]] : []),
    ...(unindexed.length > 0 ? [["unindexed", partitionsText(unindexed)] as [string, string]] : []),
    ...(skipped > 0 ? [["skipped", `${formatHeight(skipped)} blocks`] as [string, string]] : []),
  ]
}

function rollbackText({ progress, failures, from }: RollbackStatus): string {
  if (!progress) return failures > 1 ? `fails, ${failures} times` : `from ${formatHeight(from)} on`
  const { step, done, total, etaMs } = progress
  const share = formatPercent(total === 0 ? 0 : Math.floor((done / total) * 100))
  return `${step} ${share}${etaMs === null ? "" : `, ${formatDuration(etaMs)} left`}`
}

/** Where the workers are; and, where that is more, how far raw is. */
const watermarkText = ({ watermark }: ChainStatus, raw: number | null): string =>
  watermark === raw ? formatHeight(watermark) : `${formatHeight(watermark)}, raw ${formatHeight(raw)}`

const partitionsText = ([first, ...others]: readonly string[]): string =>
  others.length === 0 ? first! : `${first} and ${others.length} more`

function leasesText(workers: ChainStatus["workers"]): string {
  const parts = (["active", "failed", "dead"] as const).flatMap((state) => {
    const count = workers.reduce((sum, { leases }) => sum + leases[state], 0)
    return count > 0 ? [`${count} ${state}`] : []
  })
  return parts.length > 0 ? parts.join(", ") : "none"
}

function etaText({ etaMs, percent }: ChainStatus): string {
  if (etaMs === null) return percent === 0 ? "–" : "unknown"
  return etaMs === 0 ? "complete" : formatDuration(etaMs)
}

function storeText({ rawBytes, appBytes }: ChainStatus["store"]): string {
  if (rawBytes === null) return "–"
  return `${formatBytes(rawBytes)}${appBytes === null ? "" : ` raw, ${formatBytes(appBytes)} app`}`
}

/** Where nothing says how much there is, what would. */
function roomText({ store: { freeBytes }, daysToFull }: ChainStatus): string {
  if (freeBytes === null) return "DB_CAPACITY_BYTES not set"
  if (daysToFull === null) return `${formatBytes(freeBytes)} free`
  const days = Math.floor(daysToFull)
  const when = days < 2 ? formatDuration(daysToFull * 86_400_000) : `${formatHeight(days)} days`
  return `${formatBytes(freeBytes)}, full in ${when}`
}

function pairs(rows: readonly [string, string][], { columns, paint }: Look): string[] {
  const width = Math.floor((columns - 1) / 2)
  const cell = ([label, value]: [string, string]): string => {
    const room = width - labelWidth - 2
    return `${paint.dim(label.padEnd(labelWidth))} ${shorten(value, room).padEnd(room)}`
  }
  const lines: string[] = []
  for (let i = 0; i < rows.length; i += 2) {
    lines.push(
      ` ${rows
        .slice(i, i + 2)
        .map(cell)
        .join(" ")}`,
    )
  }
  return lines
}

function section(label: string, rows: readonly (readonly Part[])[], { columns, paint }: Look): string[] {
  if (rows.length === 0) return []
  const room = columns - labelWidth - 3
  const shown = rows.slice(0, maxRows).map((parts, i) => {
    const head = paint.dim((i === 0 ? label : "").padEnd(labelWidth))
    return ` ${head} ${fitParts(parts, room)}`
  })
  const more = rows.length - maxRows
  return more > 0 ? [...shown, ` ${"".padEnd(labelWidth)} ${paint.dim(`and ${more} more`)}`] : shown
}

function fitParts(parts: readonly Part[], room: number): string {
  let left = room
  let out = ""
  for (const { text, paint = (plain: string) => plain, whole = false } of parts) {
    if (left <= 0) break
    if (whole && printable(text).length > left) continue
    const shown = shorten(printable(text), left)
    left -= shown.length + 2
    out += `${out === "" ? "" : "  "}${paint(shown)}`
  }
  return out
}

function processLine({ host, pid, roles, httpUrl, state, upMs }: ProcessRow, paint: Paint): Part[] {
  return [
    { text: `${host}:${pid}` },
    { text: roles.length === allRoles.length ? "all roles" : roles.join(","), paint: paint.dim },
    ...(state.followsHead ? [{ text: "follows", paint: paint.live }] : []),
    ...(state.paused ? [{ text: `paused: ${state.paused}`, paint: paint.bad }] : []),
    ...(httpUrl ? [{ text: httpUrl, paint: paint.dim, whole: true }] : []),
    { text: `up ${formatDuration(upMs)}`, whole: true },
    ...(state.rssBytes > 0 ? [{ text: formatBytes(state.rssBytes), whole: true }] : []),
  ]
}

function providerLine(provider: ProviderSummary, { readAtMs }: ChainStatus, paint: Paint): Part[] {
  const { label, state, mismatch, lastError, lastErrorAtMs, openIn, processes, head } = provider
  const isDown = mismatch !== null || state === "open"
  const fault = isDown ? null : (head?.fault ?? null)
  const word =
    mismatch !== null
      ? `wrong chain ${mismatch}`
      : (fault ?? { closed: "ok", open: "down", "half-open": "trying" }[state])
  const colour = isDown || fault !== null ? paint.bad : state === "closed" ? paint.good : paint.busy
  const ago = lastErrorAtMs === null ? "" : ` ${formatDuration(Math.max(0, readAtMs - lastErrorAtMs))} ago`
  return [
    { text: label },
    { text: word, paint: colour },
    ...(head && fault !== null ? [{ text: `at block ${formatHeight(head.height)}`, paint: paint.busy }] : []),
    ...(openIn > 0 && openIn < processes ? [{ text: `down for ${openIn} of ${processes}`, paint: paint.busy }] : []),
    ...(lastError ? [{ text: `last error${ago}: ${lastError}`, paint: paint.dim }] : []),
  ]
}

const deadLines = ({ deadBlocks }: ChainStatus, paint: Paint): Part[][] =>
  deadBlocks.map(({ worker, height, attempts, code, error }) => [
    { text: `block ${formatHeight(height)}`, paint: paint.bad },
    { text: `${worker}, ${attempts} attempts` },
    { text: `${code ?? "BUG"}${error ? `: ${error}` : ""}`, paint: paint.dim },
  ])

function doctor({ state, cause, message, doing, todo }: Diagnosis, { columns, paint }: Look): string[] {
  const mark = { ok: "✓", starting: "…", degraded: "!", stalled: "✗" }[state]
  const colour = { ok: paint.good, starting: paint.busy, degraded: paint.busy, stalled: paint.bad }[state]
  const label = cause ? `${state} ${cause}: ` : ""
  const rows = wrap(printable(`${label}${message}`), columns - 5)
  const part = (name: string, text: string | null): string[] =>
    text === null
      ? []
      : wrap(printable(text), columns - 12).map(
          (line, i) => `   ${paint.dim((i === 0 ? name : "").padEnd(7))} ${line}`,
        )
  return [
    ...rows.map((line, i) => ` ${colour(`${i === 0 ? mark : " "} ${line}`)}`),
    ...part("doing", doing),
    ...part("to do", todo),
  ]
}
