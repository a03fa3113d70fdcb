// Decides what happens to a request from the seed, the request and how often it was made before: never from the order
// in which different requests arrive, so a failure replays although the client's concurrency does not.

import { SeededRandom } from "../seeded-random.js"
import type { FaultName, FaultRates } from "./fault-catalog.js"

export class FateBook {
  readonly #seed: number
  /** One entry for each different request: bounded by the chain under test. */
  readonly #asked = new Map<string, number>()

  constructor(seed: number) {
    this.#seed = seed
  }

  /** `subject`: the request without its id. */
  next(subject: string): Fate {
    const nonce = this.#asked.get(subject) ?? 0
    this.#asked.set(subject, nonce + 1)
    return new Fate(this.#seed, hashText(subject), nonce)
  }
}

export class Fate {
  readonly #seed: number
  readonly #subject: number
  readonly #nonce: number

  constructor(seed: number, subject: number, nonce: number) {
    this.#seed = seed
    this.#subject = subject
    this.#nonce = nonce
  }

  /** Those of the candidates that strike, in the candidates' order. */
  strikes<Name extends FaultName>(candidates: readonly Name[], rates: FaultRates): Name[] {
    return candidates.filter((name) => {
      const rate = rates[name] ?? 0
      return rate > 0 && this.random(name).next() < rate
    })
  }

  /** For the details of a fault. The same stream at each call. */
  random(purpose: string): SeededRandom {
    return new SeededRandom(this.#seed, this.#subject, hashText(purpose), this.#nonce)
  }
}

/** FNV-1a. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
