// A session in which an operation of the product is one transaction: it stops after some of its statements, and at its end, until it is told
// to go on. The limits that the product sets are left out, so that how long a server takes decides nothing.

import type { SqlConnection } from "../../../src/postgres/sql-connection.js"
import type { Queryable, SqlExecutor } from "../../../src/postgres/transaction.js"
import { answerOf } from "./answer-of.js"
import type { Step } from "./sides.js"

export interface Course {
  /** After so many it stops. */
  readonly statements: number
  /** What it is told when it has stopped: to do the rest and commit, or to roll back at once. */
  readonly end: "commit" | "rollback"
}

export class HeldSession {
  readonly sql: SqlExecutor<Queryable>
  readonly connection: SqlConnection
  answer: unknown
  isDone = false
  private readonly course: Course
  private readonly told: Promise<void>
  private tell: () => void = () => undefined
  private sent = 0
  private underWay = 0
  private stopping: "not yet" | "now" | "over" = "not yet"

  constructor(connection: SqlConnection, course: Course) {
    this.connection = connection
    this.course = course
    this.told = new Promise((resolve) => {
      this.tell = resolve
    })
    const tx: Queryable = {
      query: (text, params, options) => this.step(() => connection.query(text, params, options)),
    }
    this.sql = { ...tx, transaction: (work) => work(tx) }
  }

  async run(operation: () => Promise<unknown>): Promise<void> {
    const { connection } = this
    this.answer = await answerOf(async () => {
      await connection.begin()
      let result: unknown
      try {
        result = await operation()
        await this.stop()
      } catch (error) {
        await connection.rollback()
        throw error
      }
      await connection.commit()
      return result
    })
    this.isDone = true
  }

  /** A statement, or what counts as one. */
  readonly step: Step = async (work) => {
    if (this.sent++ >= this.course.statements) await this.stop()
    this.underWay++
    try {
      return await work()
    } finally {
      this.underWay--
    }
  }

  /** Whoever sends statements without waiting for each other may come to its end before the first of them is answered. */
  get isStopped(): boolean {
    return this.stopping === "now" && this.underWay === 0
  }

  goOn(): void {
    this.stopping = "over"
    this.tell()
  }

  /** Once: whoever is told goes on to the end. */
  private async stop(): Promise<void> {
    const { statements, end } = this.course
    if (statements < Number.POSITIVE_INFINITY) {
      if (this.stopping === "not yet") this.stopping = "now"
      await this.told
    }
    if (end === "rollback") throw new Error("given up")
  }
}
