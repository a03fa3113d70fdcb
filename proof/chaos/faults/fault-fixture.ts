// A Postgres server for the tests of one file. Whatever a test started on it ends with the test, the last first; in a
// story, whose tests go on with what the ones before them left, with the file.

import { afterAll, afterEach, beforeAll } from "vitest"
import {
  type RunningChainServer,
  type StartChainServerOptions,
  startChainServer,
} from "../../../test/support/chain-server.js"
import { type PrivatePostgres, startPrivatePostgres } from "../../../test/support/private-postgres.js"
import { startTamperingNode, type TamperingNode } from "../../../test/support/tampering-node.js"
import { Stage, type StageOptions } from "../stage.js"

export class FaultFixture {
  #postgres: PrivatePostgres | undefined
  readonly #ending: (() => Promise<unknown>)[] = []

  constructor({ story = false } = {}) {
    beforeAll(async () => {
      this.#postgres = await startPrivatePostgres()
    })
    if (!story) afterEach(() => this.#end())
    afterAll(async () => {
      await this.#end()
      await this.#postgres?.remove()
    })
  }

  get postgres(): PrivatePostgres {
    return this.#postgres!
  }

  ending(end: () => Promise<unknown>): void {
    this.#ending.push(end)
  }

  async node(options: StartChainServerOptions): Promise<RunningChainServer> {
    const node = await startChainServer({
      ...{ transactionsPerBlock: 5, logsPerBlock: 6, holders: 200 },
      ...options,
    })
    this.ending(() => node.stop())
    return node
  }

  async tamperingNode(view: TamperingNode["view"]): Promise<TamperingNode> {
    const node = await startTamperingNode(view)
    this.ending(() => node.stop())
    return node
  }

  async stage(options: Omit<StageOptions, "postgres">): Promise<Stage> {
    const stage = await Stage.open({ postgres: this.postgres, ...options })
    this.ending(() => stage.close())
    return stage
  }

  async #end(): Promise<void> {
    for (const end of this.#ending.splice(0).reverse()) await end()
  }
}
