// Starts, adopts and stops the demo's node. There is one node per directory. It outlives a killed parent, and the next
// process adopts it. Only a graceful stop is sure to keep every block.

import { spawn } from "node:child_process"
import { closeSync } from "node:fs"
import { mkdir, rename } from "node:fs/promises"
import { join, resolve } from "node:path"
import type { Clock } from "../platform/clock.js"
import { IndexerError } from "../platform/errors.js"
import { freePort, isFreePort } from "../platform/free-port.js"
import type { ServiceDeps } from "../platform/service.js"
import { anvilArguments } from "./anvil-arguments.js"
import { resolveAnvilBinary } from "./anvil-binary.js"
import { isUsableState, openLog, saveState } from "./anvil-files.js"
import { type AnvilPhase, readAnvilRecord, writeAnvilRecord } from "./anvil-record.js"
import { AnvilRpc } from "./anvil-rpc.js"
import { demoChainId } from "./demo-accounts.js"
import { processCommand } from "./process-command.js"

/** adopted: was still running. resumed: kept all blocks. recovered: died and may have lost blocks. fresh: empty. */
export type AnvilOrigin = "adopted" | "resumed" | "recovered" | "fresh"

export interface AnvilOptions extends ServiceDeps {
  readonly directory: string
  readonly port?: number | undefined
  readonly blockTimeMs?: number | undefined
  /** Seconds since 1970 of a fresh chain's first block. */
  readonly genesisTimestamp?: number | undefined
}

const startTimeoutMs = 60_000
const stopTimeoutMs = 60_000
/** A process that has just ended may hold its port for some milliseconds. */
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
        logger.info({ pid: record.pid, port: record.port }, "demo chain: adopted the running node")
        return
      }
      logger.warn({ pid: record.pid }, "demo chain: the running node does not answer; restarting it")
      await this.#end("SIGKILL")
    }
    this.#port = await this.#choosePort(record?.port)
    // Incomplete history is created again, within seconds: a restarted node accepts no blocks with a past timestamp.
    if (record?.phase === "live" && (await isUsableState(this.#stateFile))) {
      this.#origin = record.stopped ? "resumed" : "recovered"
      this.#phase = record.phase
      this.#genesisTimestamp = record.genesisTimestamp
      if (await this.#spawn()) return
      logger.warn({}, "demo chain: the node cannot read its saved state; creating a new chain")
    }
    // The last one is kept for analysis.
    await rename(this.#stateFile, `${this.#stateFile}.broken`).catch(() => undefined)
    this.#origin = "fresh"
    this.#phase = "history"
    this.#genesisTimestamp = this.#options.genesisTimestamp ?? Math.floor(this.#options.clock.now() / 1000)
    if (await this.#spawn()) return
    throw new IndexerError(
      "DEMO_FAILED",
      `the demo chain's node did not start on port ${this.#port}. Its log is ${directory}/anvil.log. ` +
        "Another port, or another chain with --rpc URL, may work.",
      { data: { port: this.#port } },
    )
  }

  /**
   * Ends the history phase: the node mines a block every block time, in whole seconds until its next start. It is not
   * restarted, because it would lose the state of every block but the last, which an indexer asks for.
   */
  async goLive(): Promise<void> {
    if (this.#phase === "live") return
    await this.#withRpc(async (rpc) => {
      await saveState(this.#stateFile, await rpc.call<string>("anvil_dumpState"))
      await setTime(rpc, this.#options.clock)
      await rpc.call("evm_setIntervalMining", Math.ceil(this.#blockTimeMs / 1000))
    })
    this.#phase = "live"
    await this.#writeRecord(false)
  }

  /** Restarts a node that died, from its last saved state, at the same address. */
  async restart(): Promise<void> {
    if ((await becomesFree(this.#port, this.#options.clock)) && (await this.#spawn())) return
    const { directory } = this.#options
    throw new IndexerError("DEMO_FAILED", `the demo chain's node did not restart. Its log is ${directory}/anvil.log.`)
  }

  isRunning(): Promise<boolean> {
    return this.#isOurs(this.#pid)
  }

  /** Stops gracefully: the node saves every block first. Safe to call twice. */
  async stop(): Promise<void> {
    if (!(await this.isRunning())) return
    const stopped = await this.#end("SIGTERM")
    await this.#writeRecord(stopped)
  }

  /** The requested port, or that of the last run so that the address stays the same, or any. */
  async #choosePort(lastPort: number | undefined): Promise<number> {
    const { port, clock } = this.#options
    const preferred = port ?? lastPort
    if (preferred !== undefined && (await becomesFree(preferred, clock))) return preferred
    if (port === undefined) return freePort()
    throw new IndexerError(
      "PORT_IN_USE",
      `port ${port} of the demo chain's node is in use. Free it or choose another.`,
      { data: { port } },
    )
  }

  async #spawn(): Promise<boolean> {
    const { directory, clock } = this.#options
    const log = await openLog(directory)
    const child = spawn(
      resolveAnvilBinary(),
      anvilArguments({
        stateFile: this.#stateFile,
        port: this.#port,
        phase: this.#phase,
        blockTimeMs: this.#blockTimeMs,
        genesisTimestamp: this.#genesisTimestamp,
      }),
      // In its own session Ctrl-C does not reach the node: this process stops it after its readers.
      { cwd: directory, detached: true, stdio: ["ignore", log, log] },
    )
    closeSync(log)
    let gone = false
    const noteExit = (): void => {
      gone = true
    }
    child.once("exit", noteExit)
    child.once("error", noteExit)
    child.unref()
    if (child.pid === undefined) return false
    this.#pid = child.pid
    await this.#writeRecord(false)
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

  /** Whether the node ended gracefully, and so saved its state. */
  async #end(signal: "SIGTERM" | "SIGKILL"): Promise<boolean> {
    const { clock, logger } = this.#options
    sendSignal(this.#pid, signal)
    const deadline = clock.monotonic() + stopTimeoutMs
    while (await this.isRunning()) {
      if (clock.monotonic() > deadline) {
        logger.warn({ pid: this.#pid }, "demo chain: the node does not stop; killing it may lose blocks")
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

  #writeRecord(stopped: boolean): Promise<void> {
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

/** The node's clock starts at the first block's time, so that history can be mined. Live, it is set to our clock. */
const setTime = (rpc: AnvilRpc, clock: Clock): Promise<unknown> =>
  rpc.call("evm_setTime", Math.floor(clock.now() / 1000))

function sendSignal(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // ESRCH: it has already ended.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}
