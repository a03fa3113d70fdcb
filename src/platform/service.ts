// The lifecycle of everything that runs beside the flow of data: start, stop, and a runOnce that tests call directly.

export interface Service {
  readonly name: string
  start(): void
  /** Resolves when the service has come to rest. Safe to call twice, and before start. */
  stop(): Promise<void>
}
