// What the server refuses a statement with: told apart by its SQLSTATE, as the real one's errors are.

export class SqlStateError extends Error {
  override readonly name = "SqlStateError"
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
