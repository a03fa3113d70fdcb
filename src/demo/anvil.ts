// Starts, adopts and stops the demo's node. One node per directory; it outlives a killed parent and is adopted by
// the next one; only a stop in order is sure to keep every block.

import { spawn } from "node:child_process"
import { closeSync } from "node:fs"
import { mkdir, rename } from "node:fs/promises"
import { join, resolve } from "node:path"
import type { Clock } from "../platform/clock.js"
import { IndexerError } from "../platform/errors.js"
import { freePort, isFreePort } from "../platform/free-port.js"
import type { Logger } from "../platform/logger.js"
import { anvilArguments } from "./anvil-arguments.js"
import { resolveAnvilBinary } from "./anvil-binary.js"
import { isUsableState, openLog, saveState } from "./anvil-files.js"
import { type AnvilPhase, readAnvilRecord, writeAnvilRecord } from "./anvil-record.js"
import { AnvilRpc } from "./anvil-rpc.js"
import { demoChainId } from "./demo-accounts.js"
import { processCommand } from "./process-command.js"

/** adopted: still running. resumed: all blocks kept. recovered: died, so its last blocks may be gone. fresh: empty. */
export type AnvilOrigin = "adopted" | "resumed" | "recovered" | "fresh"

export interface AnvilOptions {
  readonly directory: string
  readonly clock: Clock
  readonly logger: Logger
  readonly port?: number | undefined
  readonly blockTimeMs?: number | undefined
  /** Seconds since 1970 of a fresh chain's first block. */
  readonly genesisTimestamp?: number | undefined
}

const startTimeoutMs = 60_000
const stopTimeoutMs = 60_000
/** A process that has just ended may hold its port some milliseconds longer. */
const portPatienceMs = 2_000
const pollMs = 25

export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const directory = resolve(options.directory)
  await mkdir(directory, { recursive: true })
  const anvil = new Anvil({ ...options, directory })
  await anvil.begin()
  return anvil
}

export class Anvil {
  readonly #options: AnvilOptions
  readonly #stateFile: string
  #pid = 0
  #port = 0
  #phase: AnvilPhase = "history"
  #genesisTimestamp = 0
  #origin: AnvilOrigin = "fresh"

  constructor(options: AnvilOptions) {
    this.#options = options
    this.#stateFile = join(options.directory, "anvil-state.json")
  }

  get phase(): AnvilPhase {
    return this.#phase
  }
  get origin(): AnvilOrigin {
    return this.#origin
  }
  get httpUrl(): string {
    return `http://127.0.0.1:${this.#port}`
  }
  get wsUrl(): string {
    return `ws://127.0.0.1:${this.#port}`
  }

  get #blockTimeMs(): number {
    return this.#options.blockTimeMs ?? 1000
  }

  async begin(): Promise<void> {
    const { directory, logger } = this.#options
    const record = await readAnvilRecord(directory)
    if (record !== undefined && (await this.#isOurs(record.pid))) {
      this.#pid = record.pid
      this.#port = record.port
      this.#phase = record.phase
      this.#genesisTimestamp = record.genesisTimestamp
      this.#origin = "adopted"
      if (await this.#answers(5_000)) {
        logger.info(
          { pid: record.pid, port: record.port },
          "demo chain: adopted the node that was still running",
        )
        return
      }
      logger.warn(
        { pid: record.pid },
        "demo chain: the node still running does not answer; starting it again",
      )
      await this.#end("SIGKILL")
    }
    this.#port = await this.#choosePort(record?.port)
    // Half a history is made again, in seconds: a node started anew takes no more blocks that lie in the past.
    if (record?.phase === "live" && (await isUsableState(this.#stateFile))) {
      this.#origin = record.stopped ? "resumed" : "recovered"
      this.#phase = record.phase
      this.#genesisTimestamp = record.genesisTimestamp
      if (await this.#spawn()) return
      logger.warn({}, "demo chain: the node cannot read its saved state; making a new chain")
    }
    // Kept aside, one at most, for whoever wants to know what was wrong with it.
    await rename(this.#stateFile, `${this.#stateFile}.broken`).catch(() => undefined)
    this.#origin = "fresh"
    this.#phase = "history"
    this.#genesisTimestamp = this.#options.genesisTimestamp ?? Math.floor(this.#options.clock.now() / 1000)
    if (await this.#spawn()) return
    throw new IndexerError(
      "DEMO_FAILED",
      `the demo chain's node did not start on port ${this.#port}. Its log is anvil.log in the demo's folder; another port, or --rpc URL, may help.`,
      { data: { port: this.#port } },
    )
  }

  /**
   * Ends the making of history: the same node, now with a block every block time, in whole seconds until its next start. It is not
   * started again for that: it would forget the states of all blocks but the last, and who indexes the past asks for them.
   */
  async goLive(): Promise<void> {
    if (this.#phase === "live") return
    await this.#withRpc(async (rpc) => {
      await saveState(this.#stateFile, await rpc.call<string>("anvil_dumpState"))
      await setTime(rpc, this.#options.clock)
      await rpc.call("evm_setIntervalMining", Math.ceil(this.#blockTimeMs / 1000))
    })
    this.#phase = "live"
    await this.#remember(false)
  }

  /** Brings back a node that has gone, from what it last saved, at the same address. */
  async restart(): Promise<void> {
    if ((await becomesFree(this.#port, this.#options.clock)) && (await this.#spawn())) return
    throw new IndexerError(
      "DEMO_FAILED",
      "the demo chain's node did not start again. Its log is anvil.log in the demo's folder.",
    )
  }

  isRunning(): Promise<boolean> {
    return this.#isOurs(this.#pid)
  }

  /** Stops in order: the node saves every block first. Safe to call twice. */
  async stop(): Promise<void> {
    if (!(await this.isRunning())) return
    const stopped = await this.#end("SIGTERM")
    await this.#remember(stopped)
  }

  /** The one asked for, or that of the last run, so that the address stays the same; else any. */
  async #choosePort(lastPort: number | undefined): Promise<number> {
    const { port, clock } = this.#options
    const wished = port ?? lastPort
    if (wished !== undefined && (await becomesFree(wished, clock))) return wished
    if (port === undefined) return freePort()
    throw new IndexerError(
      "PORT_IN_USE",
      `port ${port}, asked for by the demo chain's node, is in use. Free it or name another.`,
      { data: { port } },
    )
  }

  async #spawn(): Promise<boolean> {
    const { directory, clock } = this.#options
    const log = await openLog(directory)
    const child = spawn(
      resolveAnvilBinary(),
      anvilArguments({
        ...{
          stateFile: this.#stateFile,
          port: this.#port,
          phase: this.#phase,
          blockTimeMs: this.#blockTimeMs,
        },
        genesisTimestamp: this.#genesisTimestamp,
      }),
      // A session of its own: Ctrl-C goes to us alone, and we stop the node after what reads from it.
      { cwd: directory, detached: true, stdio: ["ignore", log, log] },
    )
    closeSync(log)
    let gone = false
    child.once("exit", () => {
      gone = true
    })
    child.once("error", () => {
      gone = true
    })
    child.unref()
    if (child.pid === undefined) return false
    this.#pid = child.pid
    await this.#remember(false)
    const deadline = clock.monotonic() + startTimeoutMs
    while (!gone && clock.monotonic() < deadline) {
      if ((await this.#answers(1_000)) && !gone) {
        if (this.#phase === "live") await this.#withRpc((rpc) => setTime(rpc, clock))
        return true
      }
      await clock.sleep(pollMs)
    }
    if (!gone) await this.#end("SIGKILL")
    return false
  }

  async #answers(timeoutMs: number): Promise<boolean> {
    try {
      return await this.#withRpc(
        async (rpc) => Number(await rpc.call<string>("eth_chainId")) === demoChainId,
        timeoutMs,
      )
    } catch {
      return false
    }
  }

  async #withRpc<T>(ask: (rpc: AnvilRpc) => Promise<T>, timeoutMs = 30_000): Promise<T> {
    const rpc = new AnvilRpc(this.httpUrl, { timeoutMs })
    try {
      return await ask(rpc)
    } finally {
      await rpc.close()
    }
  }

  /** Whether it went by itself, and so saved its state. */
  async #end(signal: "SIGTERM" | "SIGKILL"): Promise<boolean> {
    const { clock, logger } = this.#options
    sendSignal(this.#pid, signal)
    const deadline = clock.monotonic() + stopTimeoutMs
    while (await this.isRunning()) {
      if (clock.monotonic() > deadline) {
        logger.warn(
          { pid: this.#pid },
          "demo chain: the node does not stop; killing it, its last blocks may be lost",
        )
        sendSignal(this.#pid, "SIGKILL")
        return false
      }
      await clock.sleep(pollMs)
    }
    return signal === "SIGTERM"
  }

  async #isOurs(pid: number): Promise<boolean> {
    if (pid <= 0) return false
    return (await processCommand(pid))?.includes(this.#stateFile) === true
  }

  #remember(stopped: boolean): Promise<void> {
    return writeAnvilRecord(this.#options.directory, {
      pid: this.#pid,
      port: this.#port,
      phase: this.#phase,
      genesisTimestamp: this.#genesisTimestamp,
      stopped,
    })
  }
}

async function becomesFree(port: number, clock: Clock): Promise<boolean> {
  const deadline = clock.monotonic() + portPatienceMs
  while (!(await isFreePort(port))) {
    if (clock.monotonic() > deadline) return false
    await clock.sleep(pollMs)
  }
  return true
}

/** The node's clock starts at the first block's time, so that a past can be made; from then on it is ours. */
const setTime = (rpc: AnvilRpc, clock: Clock): Promise<unknown> =>
  rpc.call("evm_setTime", Math.floor(clock.now() / 1000))

function sendSignal(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // ESRCH: it went in the meantime, which is what the signal was for.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}
