// The life on the demo chain: a busy past made quickly, then transactions as time goes by. Everything it knows it
// reads from the chain each time, so a restart of this process or of the node needs nothing but another turn.

import type { Address } from "viem"
import type { Clock } from "../platform/clock.js"
import { describeError, IndexerError } from "../platform/errors.js"
import type { Logger } from "../platform/logger.js"
import type { Service } from "../platform/service.js"
import type { AnvilRpc } from "./anvil-rpc.js"
import { planBlock } from "./block-plan.js"
import { CollectibleOwners } from "./collectible-owners.js"
import { type ContractBook, makeContractBook } from "./contract-book.js"
import { demoAccountCount, makeRecipients } from "./demo-accounts.js"
import { SeededRandom } from "./seeded-random.js"
import { sendTransactions } from "./send-transactions.js"
import type { DemoContext } from "./transaction-kind.js"

export interface DemoTrafficOptions {
  readonly rpc: AnvilRpc
  readonly clock: Clock
  readonly logger: Logger
  readonly seed: string
  readonly blockTimeMs: number
  /** Where the past ends; traffic is at full strength for some time after it. */
  readonly historyBlocks: number
  /** Called after a turn that failed; may bring the node back. */
  readonly onFailure?: () => Promise<void>
}

const traderCount = 12
/** Above this many waiting transactions a turn is skipped. */
const deepPool = 120
/** Turns in a row that found the pool deep, after which what is in it is thrown away. */
const patienceTurns = 20
/**
 * Blocks after history with the full crowd. The node keeps all it ever had in memory (18 MB per thousand transactions)
 * and in its state file (6 MB), so a demo left running turns quiet.
 */
const livelyBlocks = 1_800
const quietIntensity = 0.15

export class DemoTraffic implements Service {
  readonly name = "demo-traffic"
  readonly #options: DemoTrafficOptions
  readonly #collectibles = new CollectibleOwners()
  readonly #stopping = new AbortController()
  readonly #recipients: readonly Address[]
  #accounts: readonly Address[] = []
  #book: ContractBook | undefined
  #running: Promise<void> | undefined
  #deepTurns = 0

  constructor(options: DemoTrafficOptions) {
    this.#options = options
    this.#recipients = makeRecipients(options.seed)
  }

  start(): void {
    this.#running ??= this.#loop()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  /** Makes blocks a second apart until the chain is `historyBlocks` high. The node must make none by itself. */
  async makeHistory(onProgress: (made: number) => void = () => undefined): Promise<void> {
    const { rpc, historyBlocks, logger } = this.#options
    await this.#loadAccounts()
    const genesis = await rpc.call<{ timestamp: string }>("eth_getBlockByNumber", "0x0", false)
    const nonces = await this.#readNonces()
    let height = await this.#height()
    while (height < historyBlocks && !this.#stopping.signal.aborted) {
      const { refused } = await this.#send(height + 1, { nonces, intensity: 1.5 })
      if (refused !== undefined) {
        // A past with a gap in its nonces would stay half-made, so it is not gone on with.
        throw new IndexerError("DEMO_FAILED", `the demo chain's node refused a transaction: ${refused}`)
      }
      await rpc.call("evm_mine", { timestamp: Number(genesis.timestamp) + height + 1 })
      height++
      onProgress(height)
    }
    logger.debug({ height }, "demo chain: history made")
  }

  /** Sends what is due for the next block; the number of transactions the node took. Throws when it cannot. */
  async runOnce(): Promise<number> {
    const { historyBlocks } = this.#options
    await this.#loadAccounts()
    if (await this.#isPoolDeep()) return 0
    const height = await this.#height()
    const lively = height < historyBlocks + livelyBlocks
    const nonces = await this.#readNonces()
    const outcome = await this.#send(height + 1, { nonces, intensity: lively ? 1 : quietIntensity })
    if (outcome.refused !== undefined) {
      this.#options.logger.debug(
        { reason: outcome.refused },
        "demo chain: the node refused some transactions",
      )
    }
    return outcome.sent
  }

  async #loop(): Promise<void> {
    const { clock, logger, blockTimeMs, onFailure } = this.#options
    const { signal } = this.#stopping
    let failures = 0
    while (!signal.aborted) {
      const startedAt = clock.monotonic()
      try {
        await this.runOnce()
        failures = 0
      } catch (error) {
        failures++
        // Once, not every second, however long the node is away.
        if (failures === 1)
          logger.warn({ error: describeError(error) }, "demo chain: no traffic for now, trying on")
        await onFailure?.().catch((cause: unknown) =>
          logger.warn({ error: describeError(cause) }, "demo chain: the node could not be brought back yet"),
        )
      }
      const waitMs = blockTimeMs * Math.min(failures + 1, 5) - (clock.monotonic() - startedAt)
      await clock.sleep(Math.max(waitMs, 10), signal)
    }
  }

  async #send(height: number, options: { nonces: Map<string, number>; intensity: number }) {
    const { rpc, seed } = this.#options
    const context = this.#context(new SeededRandom(seed, height))
    await this.#collectibles.refresh(rpc, {
      address: context.book.addresses.collectible,
      height: height - 1,
    })
    const deployerNonce = options.nonces.get(context.deployer) ?? 0
    const transactions = planBlock(context, { height, deployerNonce, intensity: options.intensity })
    return sendTransactions(rpc, transactions, {
      random: context.random,
      nonces: options.nonces,
    })
  }

  #context(random: SeededRandom): DemoContext {
    const deployer = this.#accounts[0]!
    const senders = this.#accounts.slice(1)
    this.#book ??= makeContractBook(deployer)
    return {
      random,
      book: this.#book,
      deployer,
      senders,
      traders: senders.slice(0, traderCount),
      recipients: this.#recipients,
      collectibles: this.#collectibles,
      taken: new Set(),
    }
  }

  async #isPoolDeep(): Promise<boolean> {
    const { rpc, logger } = this.#options
    const pool = await rpc.call<{ pending: string; queued: string }>("txpool_status")
    if (Number(pool.pending) + Number(pool.queued) <= deepPool) {
      this.#deepTurns = 0
      return false
    }
    this.#deepTurns++
    if (this.#deepTurns >= patienceTurns) {
      this.#deepTurns = 0
      logger.warn({}, "demo chain: waiting transactions do not move; dropping them")
      await rpc.call("anvil_dropAllTransactions")
    }
    return true
  }

  async #loadAccounts(): Promise<void> {
    if (this.#accounts.length > 0) return
    const accounts = await this.#options.rpc.call<Address[]>("eth_accounts")
    if (accounts.length < demoAccountCount) {
      throw new IndexerError("DEMO_FAILED", "the demo chain's node does not have the demo's accounts")
    }
    this.#accounts = accounts.slice(0, demoAccountCount)
  }

  async #height(): Promise<number> {
    return Number(await this.#options.rpc.call<string>("eth_blockNumber"))
  }

  /** With those waiting in the pool counted, so a lost transaction leaves no gap: its nonce comes up again. */
  async #readNonces(): Promise<Map<string, number>> {
    const nonces = await this.#options.rpc.callAll<string>(
      this.#accounts.map((account) => ({
        method: "eth_getTransactionCount",
        params: [account, "pending"],
      })),
    )
    return new Map(this.#accounts.map((account, i) => [account, Number(nonces[i])]))
  }
}
