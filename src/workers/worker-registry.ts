// The workers of a process, checked and sorted: a dependency comes before its dependents, otherwise the order stays. Pure;
// an invalid declaration is refused here, before any table is touched.

import type { PartitionedTable } from "../partitions/partitioned-table.js"
import { checkTables } from "./check-tables.js"
import { checkWorker, refuse } from "./check-worker.js"
import { downstreamOf } from "./downstream.js"
import type { FoldPlan } from "./fold-plan.js"
import { planFold } from "./plan-fold.js"
import { eventTables, stateTables, type WorkerDefinition, type WorkerTable } from "./worker-definition.js"
import { workerHash } from "./worker-hash.js"

/** Where the tables of workers are. */
export const workerSchema = "app"

export class WorkerRegistry {
  /** Dependencies first. */
  readonly workers: readonly WorkerDefinition[]
  /** By worker, in the order in which their tables are declared. */
  readonly folds: ReadonlyMap<string, readonly FoldPlan[]>
  readonly #byName: ReadonlyMap<string, WorkerDefinition>
  readonly #tables: ReadonlyMap<string, WorkerTable>
  /** Computed on demand: an undo needs none. */
  readonly #hashes = new Map<string, string>()

  /** Throws CONFIG_INVALID. */
  constructor(definitions: readonly WorkerDefinition[], { reserved = [] }: { reserved?: readonly string[] } = {}) {
    const byName = new Map<string, WorkerDefinition>()
    for (const worker of definitions) {
      checkWorker(worker, reserved)
      if (byName.has(worker.name)) {
        throw refuse({ worker: worker.name }, "is declared twice", "one declaration for each name")
      }
      byName.set(worker.name, worker)
    }
    this.#byName = byName
    this.workers = inOrder(definitions, byName)
    checkTables(this.workers)
    this.#tables = new Map(this.workers.flatMap(({ tables }) => Object.entries(tables)))
    this.folds = new Map(this.workers.map((worker) => [worker.name, this.#planFolds(worker)]))
  }

  worker(name: string): WorkerDefinition | undefined {
    return this.#byName.get(name)
  }

  /** Those that read its tables, directly or not; in order, without itself. */
  dependentsOf(name: string): readonly WorkerDefinition[] {
    const reached = downstreamOf(this.workers, [name])
    return this.workers.filter((worker) => worker.name !== name && reached.includes(worker.name))
  }

  table(name: string): WorkerTable | undefined {
    return this.#tables.get(name)
  }

  partitionedTables(): readonly PartitionedTable[] {
    return this.workers
      .flatMap(eventTables)
      .flatMap(([table, { partitionBlocks }]) =>
        partitionBlocks === undefined ? [] : [{ schema: workerSchema, table, blocksPerPartition: partitionBlocks }],
      )
  }

  hashOf(name: string): string {
    const worker = this.#byName.get(name)
    if (!worker) throw new Error(`there is no worker ${name}`)
    const hash = this.#hashes.get(name) ?? workerHash(worker)
    this.#hashes.set(name, hash)
    return hash
  }

  #planFolds(worker: WorkerDefinition): readonly FoldPlan[] {
    const upstream = (worker.dependencies ?? []).map((name) => this.#byName.get(name)!)
    const events = new Map([worker, ...upstream].flatMap(eventTables))
    return stateTables(worker).map(([table, state]) => planFold({ worker: worker.name, table, state, events }))
  }
}

/** Depth first, so that a worker moves only as far as its dependencies require. */
function inOrder(
  definitions: readonly WorkerDefinition[],
  byName: ReadonlyMap<string, WorkerDefinition>,
): readonly WorkerDefinition[] {
  const done = new Set<WorkerDefinition>()
  const visit = (worker: WorkerDefinition, path: readonly string[]): void => {
    if (done.has(worker)) return
    if (path.includes(worker.name)) {
      const circle = [...path.slice(path.indexOf(worker.name)), worker.name].join(" → ")
      throw refuse({ worker: worker.name }, `depends on itself: ${circle}`, "dependencies without a circle")
    }
    for (const dependency of worker.dependencies ?? []) {
      const found = byName.get(dependency)
      if (!found) {
        throw refuse(
          { worker: worker.name },
          `depends on ${JSON.stringify(dependency)}, which is no worker`,
          `${[...byName.keys()].join(", ")}; for raw blocks every worker waits by itself`,
        )
      }
      visit(found, [...path, worker.name])
    }
    done.add(worker)
  }
  for (const worker of definitions) visit(worker, [])
  return [...done]
}
