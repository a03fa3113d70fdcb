// Who took part in a transaction, and which contracts it made: the rows of address_transactions and contract_deployments.

import { asAddress, dataWord, keccak, topicOf, topicsAreWhole, zeroAddress } from "./log-words.js"
import type { RawLog, RawTransaction } from "./read-raw.js"
import type { LogTransfers } from "./tokens.js"

/** In the order that decides which row of an address is the first of its transaction. */
const roles = ["from", "to", "created", "emitter", "token_from", "token_to"] as const
type Role = (typeof roles)[number]

export interface Participation {
  readonly address: string
  readonly role: Role
  readonly first: boolean
}

export function participations(transaction: RawTransaction, transfers: readonly LogTransfers[]): Participation[] {
  const moved = transfers.flatMap(({ ft, nft }) => [...ft, ...nft])
  const addressesOf: Record<Role, (string | null)[]> = {
    from: [transaction.from],
    to: [transaction.to],
    created: [transaction.contractAddress],
    emitter: transaction.logs.map((log) => log.address),
    token_from: moved.map(({ from }) => from).filter((address) => address !== zeroAddress),
    token_to: moved.map(({ to }) => to).filter((address) => address !== zeroAddress),
  }
  const seen = new Set<string>()
  const out: Participation[] = []
  for (const role of roles) {
    for (const address of new Set(addressesOf[role])) {
      if (address === null) continue
      out.push({ address, role, first: !seen.has(address) })
      seen.add(address)
    }
  }
  return out
}

export interface Deployment {
  /** −1 for the transaction's own. */
  readonly eventIndex: number
  readonly address: string
  readonly deployer: string | null
  readonly method: "transaction" | "factory"
  readonly initCodeHash: string | null
}

/** In chain order. A transaction that failed made nothing, whatever its logs say. */
export function deployments(transaction: RawTransaction): Deployment[] {
  if (transaction.status !== null && transaction.status !== 1) return []
  const out: Deployment[] = []
  if (transaction.contractAddress !== null) {
    out.push({
      eventIndex: -1,
      address: transaction.contractAddress,
      deployer: transaction.from,
      method: "transaction",
      initCodeHash: transaction.input === null ? null : keccak(Buffer.from(transaction.input, "hex")),
    })
  }
  for (const log of transaction.logs) {
    const made = factoryDeployment(log)
    if (!made) continue
    out.push({ eventIndex: log.eventIndex, ...made, method: "factory", initCodeHash: null })
  }
  return out
}

const pairCreated = topicOf("PairCreated(address,address,address,uint256)")
const poolCreated = topicOf("PoolCreated(address,address,uint24,int24,address)")
const proxyCreation = topicOf("ProxyCreation(address,address)")
const deployed = topicOf("Deployed(address,uint256)")
const contractCreationSalted = topicOf("ContractCreation(address,bytes32)")
const contractCreation = topicOf("ContractCreation(address)")
const accountDeployed = topicOf("AccountDeployed(bytes32,address,address,address)")

function factoryDeployment(log: RawLog): { address: string; deployer: string | null } | undefined {
  if (!topicsAreWhole(log)) return undefined
  const address = asAddress(newContract(log))
  if (address === undefined) return undefined
  if (log.topics[0] !== accountDeployed) return { address, deployer: log.address }
  const factory = asAddress(dataWord(log, 0))
  return factory === undefined ? undefined : { address, deployer: factory }
}

function newContract(log: RawLog): string | undefined {
  switch (log.topics[0]) {
    case pairCreated:
      return dataWord(log, 0)
    case poolCreated:
      return dataWord(log, 1)
    case proxyCreation:
      return log.topics.length === 2 ? log.topics[1] : dataWord(log, 0)
    case deployed:
      return log.topics.length === 1 ? dataWord(log, 0) : undefined
    case contractCreationSalted:
    case contractCreation:
      return log.topics[1]
    case accountDeployed:
      return log.topics[2]
    default:
      return undefined
  }
}
