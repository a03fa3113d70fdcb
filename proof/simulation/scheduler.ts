// Virtual time: one queue of events, ordered by their moment. All microtasks of an event run before the next event, so
// that a seed always gives the same order.

export interface Event {
  readonly at: number
  readonly sequence: number
  /** Undefined: cancelled. */
  run: (() => void) | undefined
}

export class Scheduler {
  now = 1_000_000
  events = 0
  private sequence = 0
  private readonly heap: Event[] = []

  after(ms: number, run: () => void): Event {
    const event = { at: this.now + Math.max(0, ms), sequence: this.sequence++, run }
    this.push(event)
    return event
  }

  /** Until `isOver`, which is called before each event, or no event is left. */
  run(isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = (): void => {
        try {
          let event = isOver() ? undefined : this.pop()
          while (event && !event.run) event = this.pop()
          if (event) {
            this.now = event.at
            this.events++
            event.run!()
            // A tick that a microtask asks for runs when no other microtask is left.
            queueMicrotask(next)
          } else resolve()
        } catch (error) {
          reject(error)
        }
      }
      const next = (): void => process.nextTick(step)
      next()
    })
  }

  private push(event: Event): void {
    const { heap } = this
    let at = heap.length
    heap.push(event)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(event, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = event
  }

  private pop(): Event | undefined {
    const { heap } = this
    const first = heap[0]
    const last = heap.pop()
    if (!first || !last || heap.length === 0) return first
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
      if (!isBefore(heap[child]!, last)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return first
  }
}

const isBefore = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.sequence < b.sequence)
