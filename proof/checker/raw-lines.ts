// A piece of the chain as the lines that are compared, from both sides. The cell of `extra`, the last one, is empty on both
// where nothing of the node's object was lost, and names the fields on both where something was.

import { blockLookupRow, blockRow, eventRow, transactionRow, txLookupRow } from "./expected-raw.js"
import { headerFields, logFields, receiptFields, transactionFields } from "./given-fields.js"
import { type Extra, type KeptObject, lostFields, parseExtra } from "./kept-fields.js"
import { rawTables } from "./raw-table-list.js"
import type { NodeBlock } from "./read-node.js"
import { byHeight, heightOf, type Row, type Table, toLine } from "./table.js"

interface ExpectedLine {
  /** Ends with the empty cell of `extra`. */
  readonly line: string
  readonly height: number
  readonly objects: () => readonly KeptObject[]
}

/** By key. */
type ExpectedLines = Map<string, ExpectedLine>

export interface ExpectedRaw {
  readonly blocks: ExpectedLines
  readonly transactions: ExpectedLines
  readonly events: ExpectedLines
  readonly txLookup: string[]
  readonly blockLookup: string[]
}

export function expectedOf(blocks: readonly NodeBlock[], chainId: bigint): ExpectedRaw {
  const out: ExpectedRaw = {
    ...{ blocks: new Map(), transactions: new Map(), events: new Map() },
    ...{ txLookup: [], blockLookup: [] },
  }
  const add = (
    name: "blocks" | "transactions" | "events",
    row: Row,
    { height, objects }: Pick<ExpectedLine, "height" | "objects">,
  ): void => {
    const line = toLine(rawTables[name], row)
    const key = keyOf(rawTables[name], line)
    if (out[name].has(key)) throw new Error(`the node has two rows of raw.${name} at ${key}`)
    out[name].set(key, { line, height, objects })
  }
  for (const block of blocks) {
    const { height } = block
    const header = blockRow(block)
    out.blockLookup.push(toLine(rawTables.blockLookup, blockLookupRow(block)))
    add("blocks", header, {
      height,
      objects: () => [{ sent: block.block, given: headerFields(block, header), except: "transactions" }],
    })
    for (const transaction of block.transactions) {
      const row = transactionRow(block, transaction)
      out.txLookup.push(toLine(rawTables.txLookup, txLookupRow(block, transaction)))
      const { tx, receipt, logs } = transaction
      add("transactions", row, {
        height,
        objects: () => [
          { sent: tx, given: transactionFields(row, header, chainId), part: "tx", shared: "~tx" },
          {
            ...{ sent: receipt, given: receiptFields(transaction, row, header), except: "logs" },
            ...{ part: "receipt", shared: "~receipt" },
          },
        ],
      })
      for (const log of logs) {
        const event = eventRow(block, transaction, log)
        add("events", event, {
          height,
          objects: () => [{ sent: log, given: logFields(log, event, header), shared: "~log" }],
        })
      }
    }
  }
  return out
}

interface Sides {
  readonly expected: string[]
  readonly found: string[]
}

type FoundLines = Readonly<Record<"blocks" | "transactions" | "events", readonly string[]>>

/** Both sides of each table, by height and then as text. */
export function foundOf(
  expected: ExpectedRaw,
  lines: FoundLines,
  { withoutExtra }: { readonly withoutExtra: boolean },
): Record<keyof FoundLines, Sides> {
  const blockExtras = new Map<number, Extra>()
  for (const line of lines.blocks) blockExtras.set(heightOf(line), extraOf(line))
  const sides = (name: keyof FoundLines): Sides => {
    const wanted = new Map([...expected[name]].map(([key, { line }]) => [key, line]))
    const found = lines[name].map((line) => {
      const bare = line.slice(0, line.lastIndexOf("\t") + 1)
      if (withoutExtra) return bare
      const key = keyOf(rawTables[name], line)
      const at = expected[name].get(key)
      const of = { extra: extraOf(line), blockExtra: at && blockExtras.get(at.height) }
      const lost = at && lostFields(at.objects(), of)
      if (at === undefined || lost === undefined) return bare
      wanted.set(key, at.line + lost.sent)
      // Never empty: what the node sent may be.
      return `${bare}${lost.stored || "nothing"}`
    })
    return { expected: [...wanted.values()].sort(byHeight), found: found.sort(byHeight) }
  }
  return { blocks: sides("blocks"), transactions: sides("transactions"), events: sides("events") }
}

function extraOf(line: string): Extra {
  const cell = line.slice(line.lastIndexOf("\t") + 1)
  return parseExtra(cell === "\\N" ? null : Buffer.from(cell, "hex").toString())
}

function keyOf(table: Table, line: string): string {
  const cells = line.split("\t", table.columns.length)
  return table.key.map((name) => cells[table.columns.findIndex((column) => column.name === name)]).join(" ")
}
