// A Postgres server for the tests of one file. Whatever a test started on it ends with the test, the last first; in a
// story, whose tests go on with what the ones before them left, with the file.

import { afterAll, afterEach, beforeAll } from "vitest"
import { type PrivatePostgres, startPrivatePostgres } from "../../../test/support/private-postgres.js"
import { EndsWhatItStarted } from "../ends-what-it-started.js"
import { Stage, type StageOptions } from "../stage.js"

export class FaultFixture extends EndsWhatItStarted {
  #postgres: PrivatePostgres | undefined

  constructor({ story = false } = {}) {
    super()
    beforeAll(async () => {
      this.#postgres = await startPrivatePostgres()
    })
    if (!story) afterEach(() => this.end())
    afterAll(async () => {
      await this.end()
      await this.#postgres?.remove()
    })
  }

  get postgres(): PrivatePostgres {
    return this.#postgres!
  }

  async stage(options: Omit<StageOptions, "postgres">): Promise<Stage> {
    const stage = await Stage.open({ postgres: this.postgres, checkerOnly: true, ...options })
    this.ending(() => stage.close())
    return stage
  }
}
