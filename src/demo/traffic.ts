// Traffic on the demo chain: history created quickly, then transactions in real time. Each round reads its state from
// the chain, so that a restart of this process or of the node needs no recovery.

import type { Address } from "viem"
import { describeError, IndexerError } from "../platform/errors.js"
import type { Service, ServiceDeps } from "../platform/service.js"
import type { AnvilRpc } from "./anvil-rpc.js"
import { planBlock } from "./block-plan.js"
import { CollectibleOwners } from "./collectible-owners.js"
import { type ContractBook, makeContractBook } from "./contract-book.js"
import { demoAccountCount, makeRecipients } from "./demo-accounts.js"
import { SeededRandom } from "./seeded-random.js"
import { sendTransactions } from "./send-transactions.js"
import type { DemoContext } from "./transaction-kind.js"

export interface DemoTrafficOptions extends ServiceDeps {
  readonly rpc: AnvilRpc
  readonly seed: string
  readonly blockTimeMs: number
  /** Where history ends; traffic is at full strength for some time after it. */
  readonly historyBlocks: number
  /** Called after a failed round; may restart the node. */
  readonly onFailure?: () => Promise<void>
}

const traderCount = 12
/** Above this many waiting transactions a round sends nothing. */
const deepPool = 120
/** After this many consecutive rounds with a deep pool its transactions are dropped. */
const patienceRounds = 20
/**
 * Blocks after history with full traffic. The node keeps everything in memory (18 MB per thousand transactions) and in
 * its state file (6 MB), so a demo that keeps running slows down.
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
  #deepRounds = 0

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

  /** Mines blocks a second apart up to height `historyBlocks`. The node must not mine by itself. */
  async makeHistory(onProgress: (made: number) => void = () => undefined): Promise<void> {
    const { rpc, historyBlocks, logger } = this.#options
    await this.#loadAccounts()
    const genesis = await rpc.call<{ timestamp: string }>("eth_getBlockByNumber", "0x0", false)
    const nonces = await this.#readNonces()
    let height = await this.#height()
    while (height < historyBlocks && !this.#stopping.signal.aborted) {
      const { refused } = await this.#send(height + 1, { nonces, intensity: 1.5 })
      if (refused !== undefined) {
        // With a gap in its nonces, history would stay incomplete.
        throw new IndexerError("DEMO_FAILED", `the demo chain's node rejected a transaction: ${refused}`)
      }
      await rpc.call("evm_mine", { timestamp: Number(genesis.timestamp) + height + 1 })
      height++
      onProgress(height)
    }
    logger.debug({ height }, "demo chain: created the history")
  }

  /** Sends the transactions of the next block and returns how many the node accepted. Throws when it cannot. */
  async runOnce(): Promise<number> {
    const { historyBlocks, logger } = this.#options
    await this.#loadAccounts()
    if (await this.#isPoolDeep()) return 0
    const height = await this.#height()
    const lively = height < historyBlocks + livelyBlocks
    const nonces = await this.#readNonces()
    const { sent, refused } = await this.#send(height + 1, { nonces, intensity: lively ? 1 : quietIntensity })
    if (refused !== undefined) logger.debug({ reason: refused }, "demo chain: the node rejected transactions")
    return sent
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
        // Once for each outage, however long it is.
        if (failures === 1) logger.warn({ error: describeError(error) }, "demo chain: traffic failed; retrying")
        await onFailure?.().catch((cause: unknown) =>
          logger.warn({ error: describeError(cause) }, "demo chain: cannot restart the node; retrying"),
        )
      }
      const waitMs = blockTimeMs * Math.min(failures + 1, 5) - (clock.monotonic() - startedAt)
      await clock.sleep(Math.max(waitMs, 10), signal)
    }
  }

  async #send(height: number, options: { nonces: Map<string, number>; intensity: number }) {
    const { rpc, seed } = this.#options
    const context = this.#context(new SeededRandom(seed, height))
    const address = context.book.addresses.collectible
    await this.#collectibles.refresh(rpc, { address, height: height - 1 })
    const deployerNonce = options.nonces.get(context.deployer) ?? 0
    const transactions = planBlock(context, { height, deployerNonce, intensity: options.intensity })
    return sendTransactions(rpc, transactions, { random: context.random, nonces: options.nonces })
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
      this.#deepRounds = 0
      return false
    }
    this.#deepRounds++
    if (this.#deepRounds >= patienceRounds) {
      this.#deepRounds = 0
      logger.warn({}, "demo chain: waiting transactions are not mined; dropping them")
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

  /** Includes the transactions in the pool. The nonce of a lost transaction is used again, so it leaves no gap. */
  async #readNonces(): Promise<Map<string, number>> {
    const nonces = await this.#options.rpc.callAll<string>(
      this.#accounts.map((account) => ({ method: "eth_getTransactionCount", params: [account, "pending"] })),
    )
    return new Map(this.#accounts.map((account, i) => [account, Number(nonces[i])]))
  }
}
