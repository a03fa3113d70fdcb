// Randomness for jitter and ids. A simulator passes a seeded one.

import { randomUUID } from "node:crypto"

export interface Random {
  /** Uniform in [0, 1). */
  next(): number
  uuid(): string
}

export const systemRandom: Random = { next: () => Math.random(), uuid: () => randomUUID() }
