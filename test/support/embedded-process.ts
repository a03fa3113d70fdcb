// Keeps an embedded server as a process of its own, so that tests can kill it: prints one line of JSON when it is up or has
// failed, and stops the server on SIGTERM. Arguments: the data directory, and where unreachable things are kept.

import { systemClock } from "../../src/platform/clock.js"
import { isIndexerError } from "../../src/platform/errors.js"
import { silentLogger } from "../../src/platform/logger.js"
import { systemRandom } from "../../src/platform/random.js"
import { startEmbedded } from "../../src/postgres/embedded/start-embedded.js"

const [dataDir, systemDir] = process.argv.slice(2)
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)

try {
  const server = await startEmbedded({
    dataDir: dataDir!,
    systemDir: systemDir!,
    logger: silentLogger,
    clock: systemClock,
    random: systemRandom,
    // Processes are killed here, never the machine.
    settings: { fsync: "off" },
  })
  process.on("SIGTERM", () => void server.stop().then(() => process.exit(0)))
  say({ url: server.url("postgres"), port: server.port, adopted: server.adopted })
} catch (error) {
  say(
    isIndexerError(error)
      ? { code: error.code, message: error.message, data: error.data }
      : { message: String(error) },
  )
  process.exitCode = 1
}
