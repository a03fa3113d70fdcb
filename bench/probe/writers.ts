// A few connections that write transactions as they come: each takes the next one when it is done with its own.

import { Connection } from "../../src/postgres/connection.js"
import { copyRows } from "./copy-rows.js"

export class Writers {
  readonly #idle: Connection[]
  readonly #waiting: ((connection: Connection) => void)[] = []
  readonly #busy = new Set<Promise<void>>()

  static async open(url: string, count: number): Promise<Writers> {
    const open = (): Promise<Connection> => Connection.open({ url, applicationName: "tidemark bench writer" })
    return new Writers(await Promise.all(Array.from({ length: count }, open)))
  }

  private constructor(connections: Connection[]) {
    this.#idle = connections
  }

  /** Resolves when a writer has taken the work, and calls back when it is committed. */
  async write(buffers: readonly Buffer[], onDone: () => void = () => undefined): Promise<void> {
    const connection = this.#idle.pop() ?? (await new Promise<Connection>((resolve) => this.#waiting.push(resolve)))
    const work = copyRows(connection, buffers).then(() => {
      this.#busy.delete(work)
      const next = this.#waiting.shift()
      if (next) next(connection)
      else this.#idle.push(connection)
      onDone()
    })
    this.#busy.add(work)
  }

  async end(): Promise<void> {
    await Promise.all(this.#busy)
    await Promise.all(this.#idle.map((connection) => connection.end()))
  }
}
