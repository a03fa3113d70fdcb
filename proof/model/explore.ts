// A small explicit-state model checker: breadth first, so that every counterexample is a shortest one. It visits every state that can be
// reached, checks the invariants in each, and then that from every one of them a goal can be reached by steps that are not faults.
//
// States are kept as 64-bit hashes only (two 32-bit mixes of the key), never as objects: a trace is found again by replaying from the
// start along the parent links. With n states the chance that two of them share a hash is about n² / 3.7e19: below 1e-6 for 5 million.

import { type Config, initialState } from "./config.js"
import { brokenInvariant, isCaughtUp } from "./invariants.js"
import { showState } from "./show-state.js"
import type { State } from "./state.js"
import { stateKey } from "./state-key.js"
import { successors } from "./successors.js"

interface Trace {
  readonly steps: readonly string[]
  readonly end: string
}

export interface Exploration {
  readonly states: number
  readonly steps: number
  readonly depth: number
  /** Of processor time. */
  readonly seconds: number
  /** The space was larger than allowed: nothing is shown. */
  readonly cutOff: boolean
  readonly violation: string | null
  readonly trace: Trace | null
}

export function explore(config: Config, { maxStates = 6e6 }: { maxStates?: number } = {}): Exploration {
  const began = process.cpuUsage()
  const seen = new Seen()
  const parents = new Numbers()
  // Steps that are not faults, for the goal.
  const froms = new Numbers()
  const tos = new Numbers()
  const goals: number[] = []
  let steps = 0
  let depth = 0
  let bad: { what: string; id: number } | null = null

  const start = initialState(config)
  seen.add(start, config)
  parents.push(0)
  if (isCaughtUp(start, config)) goals.push(0)
  let level: State[] = [start]
  let ids = [0]
  let cutOff = false
  while (level.length > 0 && !bad && !cutOff) {
    const next: State[] = []
    const nextIds: number[] = []
    for (const [i, state] of level.entries()) {
      const from = ids[i]!
      successors(state, config, (_label, to, isFault) => {
        if (bad) return
        steps++
        let id = seen.add(to, config)
        if (id < 0) {
          id = -id - 1
          parents.push(from)
          next.push(to)
          nextIds.push(id)
          const what = brokenInvariant(to, config)
          if (what) bad = { what, id }
          else if (isCaughtUp(to, config)) goals.push(id)
        }
        if (!isFault) {
          froms.push(from)
          tos.push(id)
        }
      })
      if (bad) break
    }
    level = next
    ids = nextIds
    if (level.length > 0) depth++
    cutOff = seen.size > maxStates
  }
  if (!bad && !cutOff) bad = doomed({ count: seen.size, froms, tos, goals })
  return {
    ...{ states: seen.size, steps, depth, cutOff, violation: bad?.what ?? null },
    trace: bad && trace(config, { seen, parents, id: bad.id }),
    seconds: process.cpuUsage(began).user / 1e6,
  }
}

/** Goes back from the goals; who is not reached is doomed. The one of lowest index is one of least depth. */
function doomed({
  count,
  froms,
  tos,
  goals,
}: {
  count: number
  froms: Numbers
  tos: Numbers
  goals: readonly number[]
}): { what: string; id: number } | null {
  const first = new Uint32Array(count + 1)
  for (let i = 0; i < tos.length; i++) first[tos.at(i) + 1]!++
  for (let i = 0; i < count; i++) first[i + 1]! += first[i]!
  const fill = first.slice(0, count)
  const backwards = new Uint32Array(tos.length)
  for (let i = 0; i < tos.length; i++) backwards[fill[tos.at(i)]!++] = froms.at(i)
  const isSafe = new Uint8Array(count)
  const stack = [...goals]
  for (const goal of goals) isSafe[goal] = 1
  for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
    for (let i = first[state]!; i < first[state + 1]!; i++) {
      const before = backwards[i]!
      if (isSafe[before]) continue
      isSafe[before] = 1
      stack.push(before)
    }
  }
  const id = isSafe.indexOf(0)
  if (id < 0) return null
  const lost = isSafe.reduce((sum, safe) => sum + (safe ? 0 : 1), 0)
  return { what: `(7) caught up is out of reach without a further fault, in ${lost} of ${count} states`, id }
}

function trace(config: Config, { seen, parents, id }: { seen: Seen; parents: Numbers; id: number }): Trace {
  const path: number[] = []
  for (let at = id; at !== 0; at = parents.at(at)) path.push(at)
  const steps: string[] = []
  let state = initialState(config)
  for (const to of path.reverse()) {
    let found: State | undefined
    successors(state, config, (label, next) => {
      if (found || !seen.is(next, config, to)) return
      found = next
      steps.push(label)
    })
    state = found!
  }
  return { steps, end: showState(state, config) }
}

/** A list of numbers that grows. */
class Numbers {
  private list = new Uint32Array(1 << 12)
  length = 0

  push(value: number): void {
    if (this.length === this.list.length) {
      const longer = new Uint32Array(this.length * 2)
      longer.set(this.list)
      this.list = longer
    }
    this.list[this.length++] = value
  }

  at(index: number): number {
    return this.list[index]!
  }
}

/** The states that were seen, by hash: a table with open addressing. */
class Seen {
  private capacity = 1 << 14
  private slots = new Uint32Array(this.capacity)
  private readonly highs = new Numbers()
  private readonly lows = new Numbers()

  get size(): number {
    return this.highs.length
  }

  /** The state's index; -index - 1 when it is new. */
  add(state: State, config: Config): number {
    hash(stateKey(state, config))
    let at = this.placeOf(high, low)
    for (; this.slots[at] !== 0; at = (at + 1) & (this.capacity - 1)) {
      const index = this.slots[at]! - 1
      if (this.highs.at(index) === high && this.lows.at(index) === low) return index
    }
    const index = this.size
    this.highs.push(high)
    this.lows.push(low)
    this.slots[at] = index + 1
    if (this.size * 2 > this.capacity) this.grow()
    return -index - 1
  }

  is(state: State, config: Config, index: number): boolean {
    hash(stateKey(state, config))
    return this.highs.at(index) === high && this.lows.at(index) === low
  }

  private placeOf(one: number, other: number): number {
    return (one ^ (other >>> 7)) & (this.capacity - 1)
  }

  private grow(): void {
    this.capacity *= 2
    this.slots = new Uint32Array(this.capacity)
    for (let index = 0; index < this.size; index++) {
      let at = this.placeOf(this.highs.at(index), this.lows.at(index))
      while (this.slots[at] !== 0) at = (at + 1) & (this.capacity - 1)
      this.slots[at] = index + 1
    }
  }
}

let high = 0
let low = 0

/** Of small whole numbers. Two results, left in `high` and `low`: a pair would be made for every step of the search. */
function hash(key: readonly number[]): void {
  let a = 0x9747b28c | 0
  let b = 0x3c6ef372 | 0
  for (let i = 0; i < key.length; i++) {
    const k = key[i]! + 0x100
    a = Math.imul(a ^ k, 0x85ebca6b)
    a = (a << 13) | (a >>> 19)
    a = (Math.imul(a, 5) + 0xe6546b64) | 0
    b = Math.imul(b ^ (k + 0x5bd1), 0xc2b2ae35)
    b = (b << 15) | (b >>> 17)
    b = (Math.imul(b, 9) + 0x27d4eb2f) | 0
  }
  a ^= a >>> 16
  a = Math.imul(a, 0x7feb352d)
  a ^= a >>> 15
  a = Math.imul(a, 0x846ca68b)
  a ^= a >>> 16
  b ^= b >>> 16
  b = Math.imul(b, 0x21f0aaad)
  b ^= b >>> 15
  b = Math.imul(b, 0xd35a2d97)
  b ^= b >>> 15
  high = a >>> 0
  low = b >>> 0
}
