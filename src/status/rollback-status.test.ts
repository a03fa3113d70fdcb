import { expect, test } from "vitest"
import { parseProcessState } from "./process-state.js"
import { rollbackStatus } from "./rollback-status.js"

const intent = { id: "a", from: 900, to: Number.MAX_SAFE_INTEGER, reason: "test" }
const reported = (rollback: unknown) => ({ state: parseProcessState({ rollback }) })
const idle = { id: "a", step: null, done: 0, total: 0, etaMs: null, failures: 0, error: null }

test("the open rollback has the progress of the process that carries it out, and the most failures of any", () => {
  const error = { code: "DATABASE_CONFLICT", message: "locked" }
  const processes = [
    reported({ ...idle, failures: 4, error }),
    reported({ ...idle, step: "app", done: 250, total: 1_000, etaMs: 15_000 }),
    reported({ ...idle, id: "an earlier one", failures: 9 }),
    // Of another release, or none.
    ...[reported({ id: 7 }), reported(undefined)],
  ]
  expect(rollbackStatus(intent, processes)).toEqual({
    ...{ from: 900, to: null, reason: "test", failures: 4, error },
    progress: { step: "app", done: 250, total: 1_000, etaMs: 15_000 },
  })
})

test("one that no process carries out is shown too; where none is open there is none", () => {
  const nothing = { progress: null, failures: 0, error: null }
  expect(rollbackStatus({ ...intent, to: 950 }, [])).toEqual({ from: 900, to: 950, reason: "test", ...nothing })
  expect(rollbackStatus(undefined, [reported(idle)])).toBeNull()
})
