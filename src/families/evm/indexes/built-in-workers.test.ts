import { expect, test } from "vitest"
import { eventTables } from "../../../workers/worker-definition.js"
import { WorkerRegistry } from "../../../workers/worker-registry.js"
import { builtInWorkers } from "./built-in-workers.js"

test("the built-in workers pass every check of a declaration", () => {
  expect(new WorkerRegistry(builtInWorkers).workers).toHaveLength(builtInWorkers.length)
})

test.each(builtInWorkers.map((worker) => [worker.name, worker] as const))(
  "%s has an extract exactly when it has event tables",
  (_, worker) => {
    expect(worker.extract !== undefined).toBe(eventTables(worker).length > 0)
  },
)
