// The record of the demo's node for the next run: `<directory>/anvil.json`, replaced atomically.

import { readFile, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"

/** history: blocks are mined on demand. live: the node mines one every block time. */
export type AnvilPhase = "history" | "live"

export interface AnvilRecord {
  readonly pid: number
  readonly port: number
  readonly phase: AnvilPhase
  /** Seconds since 1970. */
  readonly genesisTimestamp: number
  /** Whether the node was stopped gracefully, so that its state file has every block. */
  readonly stopped: boolean
}

export async function readAnvilRecord(directory: string): Promise<AnvilRecord | undefined> {
  const text = await readFile(join(directory, "anvil.json"), "utf8").catch(() => undefined)
  if (text === undefined) return undefined
  try {
    const found = JSON.parse(text) as Partial<AnvilRecord>
    const { pid, port, phase, genesisTimestamp, stopped } = found
    if (!isWhole(pid) || !isWhole(port) || !isWhole(genesisTimestamp)) return undefined
    if (phase !== "history" && phase !== "live") return undefined
    return { pid, port, phase, genesisTimestamp, stopped: stopped === true }
  } catch {
    // Foreign or damaged: a new node is started, and only the demo's history is lost.
    return undefined
  }
}

const isWhole = (value: unknown): value is number => Number.isInteger(value)

export async function writeAnvilRecord(directory: string, record: AnvilRecord): Promise<void> {
  const file = join(directory, "anvil.json")
  await writeFile(`${file}.new`, `${JSON.stringify(record)}\n`)
  await rename(`${file}.new`, file)
}
