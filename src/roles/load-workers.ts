// The workers of a chain: of the built-in ones and those of the user's config file, the ones that are wanted and everything
// they depend on.

import type { ChainFamily } from "../families/chain-family.js"
import { IndexerError } from "../platform/errors.js"
import { type ChainConfig, loadConfigFile } from "../platform/load-config.js"
import type { WorkerDefinition } from "../workers/worker-definition.js"
import { WorkerRegistry } from "../workers/worker-registry.js"

export async function loadWorkers({
  family,
  configFile,
  chain,
}: {
  family: Pick<ChainFamily, "workers" | "observedTables">
  configFile: string | undefined
  chain: Pick<ChainConfig, "workers">
}): Promise<WorkerRegistry> {
  const file = configFile ? await loadConfigFile(configFile) : {}
  // Checked by the registry: a config file need not be typed.
  const own = (file["workers"] ?? []) as readonly WorkerDefinition[]
  if (!Array.isArray(own)) {
    throw new IndexerError("CONFIG_INVALID", "workers must be a list: workers: [defineWorker({ … })]")
  }
  return chosen(new WorkerRegistry([...family.workers, ...own], { reserved: family.observedTables }), chain.workers)
}

function chosen(all: WorkerRegistry, names: string): WorkerRegistry {
  if (names === "all") return all
  if (names === "none") return new WorkerRegistry([])
  const wanted = new Set<string>()
  const add = (name: string): void => {
    const worker = all.worker(name)
    if (!worker) {
      throw new IndexerError(
        "CONFIG_INVALID",
        `WORKERS has "${name}", which is no worker; known are ${all.workers.map((one) => one.name).join(", ")}`,
      )
    }
    wanted.add(name)
    for (const dependency of worker.dependencies ?? []) add(dependency)
  }
  for (const name of names.split(",")) add(name.trim())
  return new WorkerRegistry(all.workers.filter(({ name }) => wanted.has(name)))
}
