// Contracts deployed in a transaction: the one that it created itself, and those that known factories logged. A
// contract that other code creates without a known event is missing; only a trace would show it.

import { keccak_256 } from "@noble/hashes/sha3"
import type { Hex } from "../../../../domain/linked-block.js"
import type { EncodedField } from "../../../../workers/encoded-field.js"
import type { TransactionView } from "../../raw/block-view.js"
import { decodeFactoryDeployment } from "../evm-events/decode-factory-deployment.js"
import { fieldContent } from "../evm-events/field-content.js"

/** Before every log of the transaction: its own contract exists before anything in it can log. */
const ownDeploymentIndex = -1

export interface Deployment {
  readonly eventIndex: number
  readonly address: Hex | EncodedField
  readonly deployer: Hex | EncodedField | null
  readonly method: "transaction" | "factory"
  /** Keccak hash of the code that created the contract; unknown for factories. */
  readonly initCodeHash: Uint8Array | null
}

/** In chain order. A failed transaction leaves no contract, even when its receipt has an address. */
export function decodeDeployments(transaction: TransactionView): readonly Deployment[] {
  const { status } = transaction
  if (status !== 1 && status !== null) return []
  const deployments: Deployment[] = []
  if (transaction.contractAddress !== null) {
    const initCode = fieldContent(transaction.field("input"))
    deployments.push({
      eventIndex: ownDeploymentIndex,
      address: transaction.field("contract_address"),
      deployer: transaction.field("from_address"),
      method: "transaction",
      initCodeHash: initCode === null ? null : keccak_256(initCode),
    })
  }
  for (const event of transaction.events) {
    const deployment = decodeFactoryDeployment(event)
    if (deployment === null) continue
    deployments.push({ eventIndex: event.index, ...deployment, method: "factory", initCodeHash: null })
  }
  return deployments
}
