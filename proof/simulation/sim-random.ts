// The random numbers of a seed. Named streams are independent, so that removing a fault from a plan leaves the rest as
// it was.

import { SeededRandom } from "../../test/support/seeded-random.js"

export class SimRandom extends SeededRandom {
  /** Shorter than a real one: the model of Postgres does not parse it. */
  override uuid(): string {
    return this.hex(2)
  }

  stream(name: number): SimRandom {
    return new SimRandom(Math.imul(this.state ^ Math.imul(name + 1, 0x9e3779b1), 0x85ebca6b) ^ (name << 7))
  }
}
