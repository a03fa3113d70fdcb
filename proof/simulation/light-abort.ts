// An AbortController without the events, weak references and finalizers of Node's own, which take a fifth of a seed's
// time. For processes and threads that run nothing but seeds. Listeners are called once, in order.

class LightSignal {
  aborted = false
  reason: unknown
  private listeners: Set<() => void> | undefined

  addEventListener(_: "abort", listener: () => void): void {
    this.listeners ??= new Set()
    this.listeners.add(listener)
  }

  removeEventListener(_: "abort", listener: () => void): void {
    this.listeners?.delete(listener)
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason
  }

  setMaxListeners(): void {
    // For node:events; there is no limit here.
  }

  abort(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    const { listeners } = this
    this.listeners = undefined
    for (const listener of listeners ?? []) listener()
  }
}

class LightController {
  readonly signal = new LightSignal()

  abort(reason: unknown = new Error("This operation was aborted")): void {
    this.signal.abort(reason)
  }
}

export function useLightAbort(): void {
  globalThis.AbortController = LightController as unknown as typeof AbortController
}
