// The demo's contracts and their addresses. An address follows from the deployer and its nonce, so that a later run
// knows it without a record. The order of the deployments is therefore fixed.

import type { Address, Hex } from "viem"
import { concat, encodeDeployData, getContractAddress, keccak256 } from "viem"
import {
  Bytes32Token,
  ChildDeployer,
  Collectible,
  GasBurner,
  HostileToken,
  MultiToken,
  OddEvents,
  Pair,
  PairFactory,
  Reverter,
  Router,
  Token,
  WrappedEther,
} from "./contracts.generated.js"

type Addresses = Readonly<Record<ContractName, Address>>

/** Init code by name, in the order of the deployments. */
const initCodes = {
  weth: () => WrappedEther.bytecode,
  dollar: () => encodeDeployData({ ...Token, args: ["Harbour Dollar", "HUSD", 18] }),
  coin: () => encodeDeployData({ ...Token, args: ["Coin of the Quay", "QUAY", 6] }),
  points: () => encodeDeployData({ ...Token, args: ["Ferry Points", "FERRY", 0] }),
  harbourMaster: () => Bytes32Token.bytecode,
  hostile: () => HostileToken.bytecode,
  collectible: () => Collectible.bytecode,
  multiToken: () => MultiToken.bytecode,
  factory: () => PairFactory.bytecode,
  router: (factory: Address) => encodeDeployData({ ...Router, args: [factory] }),
  reverter: () => Reverter.bytecode,
  gasBurner: () => GasBurner.bytecode,
  childDeployer: () => ChildDeployer.bytecode,
  oddEvents: () => OddEvents.bytecode,
} satisfies Record<string, (factory: Address) => Hex>
type ContractName = keyof typeof initCodes

interface TradedToken {
  readonly address: Address
  /** One whole token in its smallest unit. */
  readonly unit: bigint
}

export interface ContractBook {
  readonly addresses: Addresses
  /** Init code by nonce of the deployer. */
  readonly deployments: readonly Hex[]
  readonly mintable: readonly TradedToken[]
  readonly weth: TradedToken
  readonly pairs: readonly TradedPair[]
}

interface TradedPair {
  readonly address: Address
  readonly tokens: readonly [TradedToken, TradedToken]
  /** Whole tokens of each that are added first, which sets the first price. */
  readonly opening: readonly [bigint, bigint]
}

export function makeContractBook(deployer: Address): ContractBook {
  const addresses = Object.fromEntries(
    Object.keys(initCodes).map((name, nonce) => [name, getContractAddress({ from: deployer, nonce: BigInt(nonce) })]),
  ) as unknown as Addresses
  const weth = { address: addresses.weth, unit: 10n ** 18n }
  const dollar = { address: addresses.dollar, unit: 10n ** 18n }
  const coin = { address: addresses.coin, unit: 10n ** 6n }
  const points = { address: addresses.points, unit: 1n }
  const harbourMaster = { address: addresses.harbourMaster, unit: 10n ** 18n }
  const hostile = { address: addresses.hostile, unit: 1n }
  const pair = (tokens: TradedPair["tokens"], opening: TradedPair["opening"]): TradedPair => ({
    address: pairAddress(addresses.factory, [tokens[0].address, tokens[1].address]),
    tokens,
    opening,
  })
  return {
    addresses,
    deployments: Object.values(initCodes).map((initCode) => initCode(addresses.factory)),
    mintable: [dollar, coin, points, harbourMaster, hostile],
    weth,
    pairs: [
      pair([weth, coin], [100n, 300_000n]),
      pair([weth, dollar], [80n, 240_000n]),
      pair([points, harbourMaster], [500_000n, 2_000n]),
    ],
  }
}

function pairAddress(factory: Address, tokens: readonly [Address, Address]): Address {
  const ordered = [...tokens].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
  return getContractAddress({
    opcode: "CREATE2",
    from: factory,
    salt: keccak256(concat(ordered)),
    bytecode: Pair.bytecode,
  })
}
