// Finds single transactions, receipts and logs inside rendered blocks by the fixed order of their members, so that
// no index of them has to be kept. Works only on bytes made by build-block.ts.

import { blockOnlyMembers } from "./header.js"

const itemStart = Buffer.from('{"blockHash":"')
const logStart = Buffer.from('{"address":"')
const logEnd = Buffer.from('"removed":false}')
const topicsStart = '{"address":"0x","topics":['.length + 40
const topicStride = '"0x",'.length + 64
const comma = 0x2c

/** The nth transaction of a "full" block or the nth receipt of "receipts". */
export function itemAt(list: Buffer, index: number): Buffer | undefined {
  let start = list.indexOf(itemStart)
  for (let at = 0; at < index && start >= 0; at++) start = list.indexOf(itemStart, start + 1)
  if (start < 0) return undefined
  const next = list.indexOf(itemStart, start + 1)
  if (next >= 0) return list.subarray(start, next - 1)
  // The last one ends before the closing bracket, which a block follows with a brace.
  const closing = list[list.length - 1] === 0x5d ? 1 : 2
  return list.subarray(start, list.length - closing)
}

/** The header alone, as newHeads announces it. */
export function headerOf(block: Buffer): Buffer {
  return Buffer.concat([block.subarray(0, block.indexOf(blockOnlyMembers)), Buffer.from("}")])
}

export interface LogFilter {
  readonly addresses: ReadonlySet<string> | undefined
  /** By position; undefined lets everything through. */
  readonly topics: readonly (ReadonlySet<string> | undefined)[]
}

export function* logsIn(receipts: Buffer, filter: LogFilter): Generator<Buffer> {
  for (let start = receipts.indexOf(logStart); start >= 0; ) {
    const end = receipts.indexOf(logEnd, start) + logEnd.length
    const log = receipts.subarray(start, end)
    if (matches(log, filter)) yield log
    start = receipts.indexOf(logStart, end)
  }
}

function matches(log: Buffer, filter: LogFilter): boolean {
  if (filter.addresses !== undefined && !filter.addresses.has(log.toString("latin1", 12, 54))) return false
  let present = true
  for (let at = 0, start = topicsStart; at < filter.topics.length; at++, start += topicStride) {
    if (at > 0) present &&= log[start - 1] === comma
    if (!present) return false
    const wanted = filter.topics[at]
    if (wanted !== undefined && !wanted.has(log.toString("latin1", start + 1, start + 67))) return false
  }
  return true
}
