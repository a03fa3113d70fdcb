// The lifecycle of a background service: start, stop, and a runOnce that tests call directly.

export interface Service {
  readonly name: string
  start(): void
  /** Resolves when the service has stopped. Safe to call twice, and before `start`. */
  stop(): Promise<void>
}
