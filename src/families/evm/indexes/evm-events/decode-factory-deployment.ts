// Contracts deployed by well-known factories, from their events. The log is the only evidence: whether there is code
// at the address is not checked.

import type { Hex } from "../../../../domain/linked-block.js"
import type { EventView } from "../../raw/block-view.js"
import { addressAt, topicAddress } from "./abi-words.js"
import { eventTopics } from "./event-topics.js"

export interface FactoryDeployment {
  readonly address: Hex
  /** The factory; null only when the log has no address. */
  readonly deployer: Hex | null
}

/** The deployment in the log; null when it is another event or malformed. */
export function decodeFactoryDeployment(event: EventView): FactoryDeployment | null {
  const { topics } = event
  switch (topics[0]) {
    case eventTopics["PairCreated(address,address,address,uint256)"]:
      return byEmitter(event, addressAt(event.data, 0))
    case eventTopics["PoolCreated(address,address,uint24,int24,address)"]:
      return byEmitter(event, addressAt(event.data, 32))
    case eventTopics["ProxyCreation(address,address)"]:
      // Safe's factories: the proxy is indexed since 1.4.
      return byEmitter(event, topics.length === 2 ? topicAddress(topics[1]) : addressAt(event.data, 0))
    case eventTopics["Deployed(address,uint256)"]:
      return topics.length === 1 ? byEmitter(event, addressAt(event.data, 0)) : null
    case eventTopics["ContractCreation(address,bytes32)"]:
    case eventTopics["ContractCreation(address)"]:
      return byEmitter(event, topicAddress(topics[1]))
    case eventTopics["AccountDeployed(bytes32,address,address,address)"]: {
      // The entry point emits it and names the factory.
      const address = topicAddress(topics[2])
      const deployer = addressAt(event.data, 0)
      return address === null || deployer === null ? null : { address, deployer }
    }
    default:
      return null
  }
}

const byEmitter = (event: EventView, address: Hex | null): FactoryDeployment | null =>
  address === null ? null : { address, deployer: event.address }
