// The contract of the logger. The composition root chooses the implementation.

export type LogFields = Readonly<Record<string, unknown>>

export interface Logger {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
  fatal(fields: LogFields, message: string): void
  child(fields: LogFields): Logger
}

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  fatal: () => undefined,
  child: () => silentLogger,
}
