// The functions that declare a worker, built-in or a user's. They type `emit` and the tables, and return their argument.

import type { ColumnKind } from "./column.js"
import type {
  Aggregate,
  Columns,
  EventTable,
  ExtractContext,
  FoldColumn,
  StateTable,
  WorkerDefinition,
  WorkerTables,
} from "./worker-definition.js"

export type DefineWorker<Block> = <const Tables extends WorkerTables>(
  definition: Omit<WorkerDefinition<Tables>, "extract"> & {
    readonly extract?: (context: ExtractContext<Tables, Block>) => void
  },
) => WorkerDefinition<Tables>

/** Each family has its own `defineWorker`, whose extract sees the family's blocks. */
export const defineWorkerOf =
  <Block>(): DefineWorker<Block> =>
  (definition) =>
    definition

export const eventTable = <const C extends Columns>(table: Omit<EventTable<C>, "kind">): EventTable<C> => ({
  kind: "events",
  ...table,
})

/** Keeps the types of the columns, for those who read the rows. */
export const stateTable = <const Table extends Omit<StateTable, "kind">>(
  table: Table,
): Table & { readonly kind: "state" } => ({ kind: "state", ...table })

const aggregate =
  <const How extends Aggregate>(name: How) =>
  <Kind extends ColumnKind>(column: { readonly kind: Kind }): FoldColumn<Kind, How> => ({
    aggregate: name,
    kind: column.kind,
  })

/** Adds up. Takes numeric or int8. */
export const sum = aggregate("sum")
/** The value of the first row in the chain. */
export const first = aggregate("first")
/** The value of the last row in the chain. */
export const last = aggregate("last")
export const min = aggregate("min")
export const max = aggregate("max")
