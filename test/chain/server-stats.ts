// What a chain server was asked and what it sent, since the last reset.

export interface StatsSnapshot {
  readonly requests: number
  readonly calls: number
  readonly methods: Readonly<Record<string, number>>
  readonly bytes: number
  readonly maxConcurrentRequests: number
  readonly head: number
  readonly wallMs: number
  readonly cpuMs: number
}

export class ServerStats {
  #requests = 0
  #methods = new Map<string, number>()
  #bytes = 0
  #open = 0
  #mostOpen = 0
  #since = performance.now()
  #cpu = process.cpuUsage()

  /** Counts a request in; the answer counts it out and may be called once. */
  requested(): () => void {
    this.#requests++
    this.#open++
    this.#mostOpen = Math.max(this.#mostOpen, this.#open)
    return () => {
      this.#open--
    }
  }

  called(method: string): void {
    this.#methods.set(method, (this.#methods.get(method) ?? 0) + 1)
  }

  sent(bytes: number): void {
    this.#bytes += bytes
  }

  snapshot(head: number): StatsSnapshot {
    const cpu = process.cpuUsage(this.#cpu)
    const methods = Object.fromEntries(this.#methods)
    return {
      requests: this.#requests,
      calls: Object.values(methods).reduce((sum, count) => sum + count, 0),
      methods,
      bytes: this.#bytes,
      maxConcurrentRequests: this.#mostOpen,
      head,
      wallMs: Math.round(performance.now() - this.#since),
      cpuMs: Math.round((cpu.user + cpu.system) / 1000),
    }
  }

  reset(): void {
    this.#requests = 0
    this.#methods = new Map()
    this.#bytes = 0
    this.#mostOpen = this.#open
    this.#since = performance.now()
    this.#cpu = process.cpuUsage()
  }
}
