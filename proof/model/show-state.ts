// A state in two lines, for the end of a trace.

import type { Config } from "./config.js"
import { has, type Lease, print, type State, workerNames } from "./state.js"

export function showState({ raw, app }: State, config: Config): string {
  const set = (heights: number): string => {
    const list: number[] = []
    for (let height = 0; height < config.heights; height++) if (has(heights, height)) list.push(height)
    return `{${list.join(",")}}`
  }
  const leases = (list: readonly Lease[]): string =>
    list.map((lease) => `${workerNames[lease.worker]}${print(lease)}${"AFD"[lease.status]}`).join(" ") || "-"
  const last = app.last < 0 ? "-" : String(app.last >> 5)
  return [
    `raw: epoch ${raw.epoch} coverage ${set(raw.coverage)} blocks ${raw.blocks.join(" ")} intent ${raw.intent ? print(raw.intent) : "-"} leases ${leases(raw.leases)}`,
    `app: epoch ${app.epoch} copy ${set(app.copy)} E ${set(app.E)} rows ${app.rows.join(" ")} F ${set(app.F)} sums [${app.sums.join(", ")}] last ${last} leases ${leases(app.leases)}`,
  ].join("\n")
}
