// What every derived table has to hold, by walking the chain block by block, transaction by transaction, log by log. A row
// counts for a table only at heights that the table's worker covers, and for a dependent only where its upstream covers too.

import { evmLog, evmTransaction } from "./evm.js"
import { type HeightRange, holds } from "./height-ranges.js"
import { zeroAddress } from "./log-words.js"
import { type Deployment, deployments, type Participation, participations } from "./meta.js"
import type { RawBlock, RawTransaction } from "./read-raw.js"
import { StateRows } from "./state-rows.js"
import { type Row, type Table, toLine } from "./table.js"
import { allTables, allWorkers, tables } from "./table-list.js"
import { type FtTransfer, type LogTransfers, type NftTransfer, tokenTransfers } from "./tokens.js"
import { tags, touchedContracts } from "./tx-contracts.js"
import { cost } from "./tx-metrics.js"

interface Place {
  readonly block: RawBlock
  readonly transaction: RawTransaction
  /** The workers that cover this height. */
  readonly covering: ReadonlySet<string>
}

const one = (condition: boolean): bigint => (condition ? 1n : 0n)

export class ExpectedTables {
  readonly #coverage: (worker: string) => readonly HeightRange[]
  readonly #state = new Map<Table, StateRows>()
  readonly #events = new Map<Table, string[]>()
  #block = new Map<Table, string[]>()
  readonly #heights = new Map<string, number>()

  constructor(coverage: (worker: string) => readonly HeightRange[]) {
    this.#coverage = coverage
    for (const table of allTables) if (table.kind === "state") this.#state.set(table, new StateRows(table))
  }

  /** Blocks have to come in the order of the chain. */
  addBlock(block: RawBlock): void {
    const covering = new Set(allWorkers.filter((worker) => holds(this.#coverage(worker), block.height)))
    for (const worker of covering) this.#heights.set(worker, this.heightsOf(worker) + 1)
    for (const transaction of block.transactions) this.#addTransaction({ block, transaction, covering })
    for (const [table, lines] of this.#block) {
      const before = this.#events.get(table) ?? []
      for (const line of lines.sort()) before.push(line)
      this.#events.set(table, before)
    }
    this.#block = new Map()
  }

  /** How many of the blocks so far this worker covers. */
  heightsOf(worker: string): number {
    return this.#heights.get(worker) ?? 0
  }

  /** The event rows since it was last asked, by height and then as text. */
  takeEvents(table: Table): string[] {
    const lines = this.#events.get(table) ?? []
    this.#events.delete(table)
    return lines
  }

  stateLines(table: Table): string[] {
    return this.#state.get(table)!.lines()
  }

  #addTransaction(place: Place): void {
    const { block, transaction } = place
    const transfers = tokenTransfers(transaction)
    this.#event(place, tables.evmTransactions, evmTransaction(block, transaction))
    for (const log of transaction.logs) this.#event(place, tables.evmLogs, evmLog(block, transaction, log))
    for (const { ft, nft } of transfers) {
      for (const row of ft) this.#addFtTransfer(place, row)
      for (const row of nft) this.#addNftTransfer(place, row)
    }
    for (const row of participations(transaction, transfers)) this.#addParticipation(place, row)
    for (const row of deployments(transaction)) this.#addDeployment(place, row)
    this.#addMoved(place)
    this.#addMetrics(place)
    this.#addContracts(place, transfers)
  }

  #addFtTransfer(place: Place, row: FtTransfer): void {
    const { contract, from, to, amount, kind } = row
    this.#event(place, tables.ftTransfers, {
      ...positionOf(place, row.eventIndex),
      ...origin(place),
      ...{ contract_address: contract, from_address: from, to_address: to, amount, kind },
    })
    const at = positionOf(place, row.eventIndex)
    const key = { contract_address: contract }
    this.#fold(place, tables.ftTokens)?.addSeen(at, key, {
      transfer_count: 1n,
      minted: kind === "mint" || kind === "deposit" ? amount : 0n,
      burned: kind === "burn" || kind === "withdrawal" ? amount : 0n,
    })
    this.#fold(place, tables.contracts)?.addSeen(at, key, { ft_transfers: 1n })
    this.#fold(place, tables.metadataSubjects, tables.ftTransfers)?.addSeen(at, key, { ft_transfers: 1n })
    this.#fold(place, tables.searchSubjects, tables.ftTransfers)?.add({ address: contract }, { ft_transfers: 1n })
    const holdings = this.#fold(place, tables.ftHoldings, tables.ftTransfers)
    if (from !== zeroAddress)
      holdings?.add({ address: from, contract_address: contract }, { balance: -amount, transfers_out: 1n })
    if (to !== zeroAddress)
      holdings?.add({ address: to, contract_address: contract }, { balance: amount, transfers_in: 1n })
    this.#fold(place, tables.dailyStats, tables.ftTransfers)?.add(dayOf(place), { ft_transfers: 1n })
  }

  #addNftTransfer(place: Place, row: NftTransfer): void {
    const { contract, standard, operator, from, to, tokenId, amount, kind } = row
    const at = positionOf(place, row.eventIndex)
    this.#event(place, tables.nftTransfers, {
      ...at,
      batch_index: row.batchIndex,
      ...origin(place),
      ...{ contract_address: contract, standard, operator, from_address: from, to_address: to },
      ...{ token_id: tokenId, amount, kind },
    })
    const key = { contract_address: contract }
    this.#fold(place, tables.nftCollections)?.addSeen(at, key, {
      transfer_count: 1n,
      minted: kind === "mint" ? amount : 0n,
      burned: kind === "burn" ? amount : 0n,
      erc721_transfers: one(standard === "erc721"),
      erc1155_transfers: one(standard === "erc1155"),
    })
    this.#fold(place, tables.contracts)?.addSeen(at, key, { nft_transfers: 1n })
    this.#fold(place, tables.metadataSubjects, tables.nftTransfers)?.addSeen(at, key, { nft_transfers: 1n })
    this.#fold(place, tables.searchSubjects, tables.nftTransfers)?.add({ address: contract }, { nft_transfers: 1n })
    this.#fold(place, tables.dailyStats, tables.nftTransfers)?.add(dayOf(place), { nft_transfers: 1n })
    const token = { contract_address: contract, token_id: tokenId }
    if (standard === "erc721") {
      const position = { ...at, batch_index: row.batchIndex }
      const ownership = this.#fold(place, tables.nftOwnership, tables.nftTransfers)
      ownership?.addSeen(position, token, { transfer_count: 1n }, { owner: to })
      return
    }
    const balances = this.#fold(place, tables.nftBalances, tables.nftTransfers)
    if (from !== zeroAddress) balances?.add({ ...token, address: from }, { balance: -amount, transfers_out: 1n })
    if (to !== zeroAddress) balances?.add({ ...token, address: to }, { balance: amount, transfers_in: 1n })
  }

  #addParticipation(place: Place, { address, role, first }: Participation): void {
    const { block, transaction } = place
    const at = { block_height: block.height, transaction_index: transaction.index }
    const row = { ...at, ...origin(place), address, role, first_of_transaction: first }
    this.#event(place, tables.addressTransactions, row)
    this.#fold(place, tables.addressStats)?.addSeen(
      at,
      { address },
      {
        transaction_count: one(first),
        sent_count: one(role === "from"),
        received_count: one(role === "to"),
        token_sent_count: one(role === "token_from"),
        token_received_count: one(role === "token_to"),
        emitted_count: one(role === "emitter"),
        created_count: one(role === "created"),
      },
    )
    this.#fold(place, tables.accounts, tables.addressTransactions)?.addSeen(
      at,
      { address },
      { transaction_count: one(first), created_count: one(role === "created") },
    )
  }

  #addDeployment(place: Place, row: Deployment): void {
    const at = positionOf(place, row.eventIndex)
    const { address, deployer, method } = row
    const made = { deployer, method, init_code_hash: row.initCodeHash }
    this.#event(place, tables.contractDeployments, { ...at, ...origin(place), address, ...made })
    const last = { ...made, transaction_id: place.transaction.id }
    this.#fold(place, tables.smartContracts)?.addSeen(at, { address }, { deployment_count: 1n }, last)
    this.#fold(place, tables.accounts, tables.contractDeployments)?.add({ address }, { deployments: 1n })
    this.#fold(place, tables.searchSubjects, tables.contractDeployments)?.add({ address }, { deployments: 1n })
    this.#fold(place, tables.dailyStats, tables.contractDeployments)?.add(dayOf(place), { deployments: 1n })
  }

  /** Ether from account to account. */
  #addMoved(place: Place): void {
    const { status, from, to, contractAddress, value } = place.transaction
    const accounts = this.#fold(place, tables.accounts, tables.evmTransactions)
    if (from !== null) accounts?.add({ address: from }, { transactions_sent: 1n })
    if (status === 0) return
    const moved = value ?? 0n
    if (from !== null) accounts?.add({ address: from }, { value_sent: moved })
    if (to !== null) accounts?.add({ address: to }, { value_received: moved })
    if (contractAddress !== null) accounts?.add({ address: contractAddress }, { value_received: moved })
  }

  #addMetrics(place: Place): void {
    const { block, transaction } = place
    const { fee, burnt } = cost(block, transaction)
    this.#event(place, tables.txMetrics, {
      block_height: block.height,
      transaction_index: transaction.index,
      ...origin(place),
      from_address: transaction.from,
      status: transaction.status,
      gas_limit: transaction.gasLimit,
      gas_used: transaction.gasUsed,
      effective_gas_price: transaction.effectiveGasPrice,
      ...{ fee, burnt },
      event_count: transaction.eventCount,
    })
    if (transaction.from !== null) {
      const accounts = this.#fold(place, tables.accounts, tables.txMetrics)
      accounts?.add({ address: transaction.from }, { fees_paid: fee })
    }
    this.#fold(place, tables.dailyStats, tables.txMetrics)?.add(dayOf(place), {
      transactions: 1n,
      failed: one(transaction.status === 0),
      gas_used: transaction.gasUsed ?? 0n,
      fees: fee,
      burnt,
      events: BigInt(transaction.eventCount),
    })
  }

  #addContracts(place: Place, transfers: readonly LogTransfers[]): void {
    const { block, transaction, covering } = place
    const at = { block_height: block.height, transaction_index: transaction.index }
    const { id: transaction_id } = transaction
    for (const { address, called, eventCount } of touchedContracts(transaction)) {
      const row = { ...at, transaction_id, contract_address: address, called, event_count: eventCount }
      this.#event(place, tables.txContracts, row)
    }
    const upstream = covering.has(tables.ftTransfers.worker) ? transfers : []
    for (const tag of tags(transaction, upstream)) this.#event(place, tables.txTags, { ...at, tag, ...origin(place) })
  }

  #event({ covering }: Place, table: Table, row: Row): void {
    if (!covering.has(table.worker)) return
    const lines = this.#block.get(table)
    const line = toLine(table, row)
    if (lines) lines.push(line)
    else this.#block.set(table, [line])
  }

  /** The state of a table where its worker, and that of the table it reads, cover this height. */
  #fold({ covering }: Place, table: Table, upstream: Table = table): StateRows | undefined {
    if (!covering.has(table.worker) || !covering.has(upstream.worker)) return undefined
    return this.#state.get(table)
  }
}

const positionOf = ({ block, transaction }: Place, eventIndex: number) => ({
  block_height: block.height,
  transaction_index: transaction.index,
  event_index: eventIndex,
})

const origin = ({ block, transaction }: Place) => ({
  transaction_id: transaction.id,
  timestamp: block.timestamp,
})

const dayOf = ({ block }: Place) => ({
  day: new Date(Number(block.timestamp / 1000n)).toISOString().slice(0, 10),
})
