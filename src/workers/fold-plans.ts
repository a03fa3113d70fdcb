// The folds of all workers, planned once: by worker, in the order in which their tables are declared.

import { type FoldPlan, planFold } from "./fold-plan.js"
import type { EventTable } from "./worker-definition.js"
import { eventTables, stateTables, type WorkerRegistry } from "./worker-registry.js"

type FoldPlans = ReadonlyMap<string, readonly FoldPlan[]>

const planned = new WeakMap<WorkerRegistry, FoldPlans>()

/** Throws CONFIG_INVALID. */
export function planFolds(registry: WorkerRegistry): FoldPlans {
  const plans = planned.get(registry) ?? planAll(registry)
  planned.set(registry, plans)
  return plans
}

function planAll(registry: WorkerRegistry): FoldPlans {
  return new Map(
    registry.workers.map((worker) => {
      const readable = [worker, ...(worker.dependencies ?? []).map((name) => registry.worker(name)!)]
      const events: Record<string, EventTable> = Object.fromEntries(readable.flatMap(eventTables))
      const plans = stateTables(worker).map(([table, state]) =>
        planFold({ worker: worker.name, table, state, events }),
      )
      return [worker.name, plans]
    }),
  )
}
