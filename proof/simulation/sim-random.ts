// Randomness of a seed. Streams that are drawn from it by name do not disturb each other, so that taking a fault out of a plan leaves
// the rest as it was.

import { SeededRandom } from "../../test/support/seeded-random.js"

export class SimRandom extends SeededRandom {
  /** Half as long as a real one: the model of Postgres compares identities and parses none. */
  override uuid(): string {
    return this.hex(2)
  }

  stream(name: number): SimRandom {
    return new SimRandom(Math.imul(this.state ^ Math.imul(name + 1, 0x9e3779b1), 0x85ebca6b) ^ (name << 7))
  }
}
