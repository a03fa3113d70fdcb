// Finds single receipts, and the header, inside rendered blocks by the fixed order of their members, so that no index of them has to be
// kept. Works only on bytes made by build-block.ts.

import { blockOnlyMembers } from "./header.js"

const receiptStart = Buffer.from('{"blockHash":"')

/** The nth receipt of "receipts". */
export function receiptAt(list: Buffer, index: number): Buffer {
  let start = list.indexOf(receiptStart)
  for (let at = 0; at < index; at++) start = list.indexOf(receiptStart, start + 1)
  // Before the comma, or the closing bracket.
  const next = list.indexOf(receiptStart, start + 1)
  return list.subarray(start, next < 0 ? -1 : next - 1)
}

/** The header alone, as newHeads announces it. */
export function headerOf(block: Buffer): Buffer {
  return Buffer.concat([block.subarray(0, block.indexOf(blockOnlyMembers)), Buffer.from("}")])
}
