// The ABIs of the demo's contracts, as a config file would name them: the pages of the demo show what its calls and events say.

import { mnemonicToAccount } from "viem/accounts"
import type { ChainAbi } from "../platform/load-config.js"
import { makeContractBook } from "./contract-book.js"
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
import { demoMnemonic } from "./demo-accounts.js"

export function demoAbis(): readonly ChainAbi[] {
  const { addresses: at, pairs } = makeContractBook(mnemonicToAccount(demoMnemonic).address)
  const named = (name: string, address: string, { abi }: { readonly abi: readonly object[] }): ChainAbi => ({
    ...{ name, address: address.toLowerCase(), abi },
  })
  return [
    named("WETH", at.weth, WrappedEther),
    ...[at.dollar, at.coin, at.points].map((address) => named("Token", address, Token)),
    named("Token", at.harbourMaster, Bytes32Token),
    named("Token", at.hostile, HostileToken),
    named("Collectible", at.collectible, Collectible),
    named("MultiToken", at.multiToken, MultiToken),
    named("Exchange", at.factory, PairFactory),
    named("Exchange", at.router, Router),
    ...pairs.map(({ address }) => named("Exchange", address, Pair)),
    named("Reverter", at.reverter, Reverter),
    named("GasBurner", at.gasBurner, GasBurner),
    named("ChildDeployer", at.childDeployer, ChildDeployer),
    named("OddEvents", at.oddEvents, OddEvents),
  ]
}
