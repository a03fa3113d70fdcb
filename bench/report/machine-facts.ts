// On what a measurement was made: a figure without its machine says nothing.

import { cpus, totalmem } from "node:os"

export function machineFacts({ postgresVersion }: { postgresVersion: string }): string {
  const cores = cpus()
  const model = cores[0]?.model.trim() || "unknown processor"
  return [
    `${cores.length} cores (${model})`,
    `${Math.round(totalmem() / 1024 ** 3)} GB of memory`,
    `Node ${process.versions.node}`,
    `PostgreSQL ${postgresVersion}`,
    new Date().toISOString().slice(0, 10),
  ].join(", ")
}
