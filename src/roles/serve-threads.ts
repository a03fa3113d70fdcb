// The role `serve`: supervises the thread that owns the port, tells it which chains there are, and answers what it asks.

import { Worker } from "node:worker_threads"
import type { Access } from "../api/access.js"
import type { ChainView, StartingChain } from "../api/chain-view.js"
import { codeOf, describeError, type ErrorCode, IndexerError } from "../platform/errors.js"
import type { Metrics } from "../platform/metrics.js"
import type { ServiceDeps } from "../platform/service.js"
import type { ProcessSettings } from "../platform/settings.js"
import { type LaunchedThread, ThreadSupervisor } from "../threads/thread-supervisor.js"
import type {
  FromServeThread,
  KnownStatus,
  Question,
  ServedDatabases,
  ServeThreadInput,
  ToServeThread,
} from "./serve-messages.js"

export interface ServeOptions extends ServiceDeps {
  readonly settings: ProcessSettings
  readonly access: Access
  readonly version: string
  readonly writes: boolean
  readonly metrics: Metrics
  readonly chains: () => readonly ChainView[]
  readonly starting: () => readonly StartingChain[]
}

export interface Serving {
  readonly url: string
  /** From now on the chain can be asked for. */
  serve(databases: ServedDatabases): void
  stop(): Promise<void>
}

/** Resolves when it listens. Throws PORT_IN_USE and the like. */
export async function startServing(options: ServeOptions): Promise<Serving> {
  const { settings, access, version, writes, clock, logger } = options
  const served: ServedDatabases[] = []
  let port = settings.port
  let heard: (message: FromServeThread) => void = () => undefined
  const launch = (): LaunchedThread<FromServeThread> => {
    const worker = new Worker(new URL("./serve-thread.js", import.meta.url))
    const send = (message: ToServeThread | ServeThreadInput): void => worker.postMessage(message)
    send({ settings, access, version, writes, port })
    for (const databases of served) send({ type: "chain", ...databases })
    return {
      worker,
      receive: (message) => {
        if (message.type === "question")
          void answer(options, message.question).then(
            (value) => send({ type: "answer", id: message.id, value }),
            (error) => send({ type: "refusal", id: message.id, code: codeOf(error), message: describeError(error) }),
          )
        // A thread that is started again takes the port it had.
        else if (message.type === "listening") port = message.port
        heard(message)
      },
      ended: async () => false,
    }
  }
  const threads = new ThreadSupervisor<undefined, ToServeThread, FromServeThread>({
    ...{ name: "serve", inputs: [undefined], launch, clock, logger, drainMs: 0, restartBaseMs: 100 },
    // It holds no leases.
    ...{ renew: async (tokens) => tokens, shortestTtlMs: settings.leaseTtlMs },
  })
  const first = new Promise<string>((resolve, reject) => {
    heard = (message) => {
      if (message.type === "listening") resolve(message.url)
      if (message.type !== "failed") return
      const { code, message: text } = message
      reject(code === "BUG" ? new Error(text) : new IndexerError(code as ErrorCode, text))
    }
  })
  threads.start()
  try {
    const url = await first
    return {
      url,
      serve: (databases) => {
        served.push(databases)
        threads.send({ type: "chain", ...databases })
      },
      stop: () => threads.stop(),
    }
  } catch (error) {
    await threads.stop()
    throw error
  }
}

async function answer(
  { metrics, chains, starting }: ServeOptions,
  question: Question,
): Promise<string | readonly StartingChain[] | KnownStatus> {
  if (question.about === "metrics") return metrics.registry.metrics()
  if (question.about === "starting") return starting()
  const chain = chains().find(({ name }) => name === question.chain)
  if (!chain) throw new IndexerError("DATABASE_UNREACHABLE", "nothing is known yet")
  return { status: await chain.status(), diagnosis: chain.diagnosis() }
}
