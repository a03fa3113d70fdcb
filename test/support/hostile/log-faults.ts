// Lies about logs. Those that promise a wrong bloom make sure of it, since a change that leaves the bloom as it was
// could not be noticed without the receipts' root.

import { logsBloom } from "../../chain/bloom.js"
import { quantity } from "../../chain/hex.js"
import type { SeededRandom } from "../seeded-random.js"
import type { Log, Receipt } from "./rpc-shapes.js"

/** Changes the receipts in place; false: these receipts have nothing to lie about. */
export type LogFault = (receipts: Receipt[], random: SeededRandom) => boolean

type LogChange = (receipt: Receipt, index: number, random: SeededRandom) => void

export const logFaults = {
  logRemoved: wrongBloom((receipt, index) => {
    receipt.logs.splice(index, 1)
  }),
  logAdded: wrongBloom((receipt, index, random) => {
    receipt.logs.splice(index, 0, { ...receipt.logs[index]!, address: `0x${random.hex(5)}` })
  }),
  topicChanged: wrongBloom((receipt, index, random) => {
    const { topics } = receipt.logs[index]!
    if (topics.length > 0) topics[random.below(topics.length)] = `0x${random.hex(8)}`
  }),
  addressChanged: wrongBloom((receipt, index, random) => {
    receipt.logs[index]!.address = `0x${random.hex(5)}`
  }),
  logsOutOfOrder: (receipts, random) => {
    const several = receipts.filter((receipt) => receipt.logs.length > 1)
    const receipt = several[random.below(several.length)]
    receipt?.logs.reverse()
    return receipt !== undefined
  },
  logIndexDuplicated: (receipts, random) => {
    const logs = logsOf(receipts)
    if (logs.length < 2) return false
    const at = 1 + random.below(logs.length - 1)
    logs[at]!.logIndex = logs[at - 1]!.logIndex
    return true
  },
} satisfies Record<string, LogFault>

function wrongBloom(change: LogChange): LogFault {
  return (receipts, random) => {
    const places = receipts.flatMap((receipt, at) => receipt.logs.map((_, index) => ({ at, index })))
    const before = logsBloom(logsOf(receipts))
    const first = random.below(places.length)
    for (let tried = 0; tried < places.length; tried++) {
      const { at, index } = places[(first + tried) % places.length]!
      const changed = structuredClone(receipts[at]!)
      change(changed, index, random)
      const logs = receipts.flatMap((receipt, other) => (other === at ? changed : receipt).logs)
      if (logsBloom(logs) === before) continue
      cover(receipts, changed, at, random)
      return true
    }
    return false
  }
}

// Half of the time the lie is a careful one: indexes run on, and the receipt's own bloom fits its logs.
function cover(receipts: Receipt[], changed: Receipt, at: number, random: SeededRandom): void {
  const start = logsOf(receipts)[0]!.logIndex
  receipts[at] = changed
  if (receipts.length === 1 || random.next() < 0.5) return
  changed.logsBloom = logsBloom(changed.logs)
  renumber(receipts, start)
}

export function renumber(receipts: readonly Receipt[], start: string): void {
  for (const [at, log] of logsOf(receipts).entries()) log.logIndex = quantity(Number(start) + at)
}

export const logsOf = (receipts: readonly Receipt[]): Log[] => receipts.flatMap(({ logs }) => logs)
