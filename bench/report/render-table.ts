// A table as aligned Markdown, which reads well on a terminal too.

export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export function renderTable({ columns, rows }: Table): string {
  const widths = columns.map((column, i) => Math.max(column.length, ...rows.map((row) => row[i]!.length)))
  // The first column names the row; all others are figures.
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(" | ")} |`
  const rule = widths.map((width, i) => (i === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`))
  return [line(columns), line(rule), ...rows.map(line)].join("\n")
}
