// Plans the transactions of one block: none to many, of all kinds. A pure function of the context: the same seed on
// the same chain plans the same block.

import { setupBlocks, setupTransactions } from "./chain-setup.js"
import { collectibleTransactions } from "./collectible-transactions.js"
import { contractTransactions } from "./contract-transactions.js"
import { exchangeTransactions } from "./exchange-transactions.js"
import type { SeededRandom } from "./seeded-random.js"
import { tokenTransactions } from "./token-transactions.js"
import type { DemoContext, DemoTransaction, TransactionKind } from "./transaction-kind.js"

const maxBlockTransactions = 40
const emptyShare = 0.06

const kinds: readonly TransactionKind[] = [
  ...tokenTransactions,
  ...collectibleTransactions,
  ...exchangeTransactions,
  ...contractTransactions,
]
const totalWeight = kinds.reduce((sum, kind) => sum + kind.weight, 0)

export interface PlanOptions {
  readonly height: number
  readonly deployerNonce: number
  /** 1 is normal traffic; less makes smaller blocks. */
  readonly intensity?: number
}

export function planBlock(context: DemoContext, options: PlanOptions): DemoTransaction[] {
  const { height, intensity = 1 } = options
  if (height <= setupBlocks) return setupTransactions(context, options)
  const size = pickSize(context.random, { height, intensity })
  if (size === 0) return []
  // Two transactions rotate through all kinds, so that even rare ones appear within minutes.
  const chosen = [kinds[(height * 2) % kinds.length]!, kinds[(height * 2 + 1) % kinds.length]!]
  while (chosen.length < size) chosen.push(pickKind(context.random))
  return chosen.slice(0, size).flatMap((kind) => kind.make(context) ?? [])
}

/** A slow wave with peaks on top of it, and some empty blocks. */
function pickSize(random: SeededRandom, { height, intensity }: { height: number; intensity: number }): number {
  if (random.chance(emptyShare)) return 0
  const wave = 8 + 6 * Math.sin(height / 25)
  const peak = random.chance(0.08) ? maxBlockTransactions : 0
  const size = Math.round((wave * (0.3 + 1.4 * random.next()) + peak * random.next()) * intensity)
  return Math.min(maxBlockTransactions, size)
}

function pickKind(random: SeededRandom): TransactionKind {
  let at = random.next() * totalWeight
  for (const kind of kinds) {
    at -= kind.weight
    if (at < 0) return kind
  }
  return kinds[0]!
}
