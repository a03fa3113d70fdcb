// The order of test files: the longest first, so that no worker is left alone with one in the end; the rest by size. Vitest
// would go by what it remembers of the last run, and a fresh checkout remembers nothing.

import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The simulation keeps every core busy: beside it goes what has no time to keep. */
const longest = [
  "proof/simulation/simulation.test.ts",
  "proof/model/model.test.ts",
  "proof/simulation/model/same-as-postgres.test.ts",
  "proof/simulation/model/waits-like-postgres.test.ts",
  "proof/chaos/chaos.test.ts",
  "proof/chaos/faults/reorg.test.ts",
  "test/e2e/demo.test.ts",
  "proof/chaos/faults/lying-node.test.ts",
  "proof/chaos/faults/stopped-process.test.ts",
  "src/postgres/embedded/start-embedded.test.ts",
  "test/e2e/own-node.test.ts",
  "src/verify/verify-store.test.ts",
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { cache, config } = this.ctx
    const place = ({ moduleId }: TestSpecification): number => {
      const at = longest.indexOf(moduleId.slice(config.root.length + 1))
      return at < 0 ? longest.length : at
    }
    const size = ({ moduleId }: TestSpecification): number =>
      cache.getFileStats(`:${moduleId.slice(config.root.length + 1)}`)?.size ?? 0
    return [...files].sort((a, b) => place(a) - place(b) || size(b) - size(a))
  }
}
