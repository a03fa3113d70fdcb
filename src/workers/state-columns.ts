// The columns of a state table that nobody declares: how many event rows stand behind a row, and where its ends are.

import { defaultPosition, type StateTable } from "./worker-definition.js"

export const eventRows = "event_rows"

/** Columns that say where in the chain an event row is; none where no end is tracked. */
export const positionOf = ({ track = [], position = defaultPosition }: StateTable): readonly string[] =>
  track.length > 0 ? position : []

/** `first_block_height`, … then `last_block_height`, …, for the ends that are tracked. */
export const endColumns = (table: StateTable): { readonly name: string; readonly of: string }[] =>
  (["first", "last"] as const)
    .filter((end) => table.track?.includes(end))
    .flatMap((end) => positionOf(table).map((of) => ({ name: `${end}_${of}`, of })))

export const generatedColumns = (table: StateTable): readonly string[] => [
  eventRows,
  ...endColumns(table).map(({ name }) => name),
]
