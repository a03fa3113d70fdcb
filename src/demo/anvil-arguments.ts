// The command line of the demo's node.

import type { AnvilPhase } from "./anvil-record.js"
import { demoAccountCount, demoChainId, demoMnemonic } from "./demo-accounts.js"

/** The most that is lost when the node is killed: fewer blocks than there are above finality (64). */
const stateIntervalSeconds = 45

export interface AnvilArguments {
  readonly stateFile: string
  readonly port: number
  readonly phase: AnvilPhase
  readonly blockTimeMs: number
  readonly genesisTimestamp: number
}

export function anvilArguments(options: AnvilArguments): string[] {
  const { stateFile, port, phase, blockTimeMs, genesisTimestamp } = options
  return [
    // Cancun: with EIP-2935 of later forks the node copies a storage that grows with each block. An empty block took
    // 1 ms at first and 11 ms after 6,000 blocks, with 1.7 times the memory. So there are no type 4 transactions.
    ...["--hardfork", "cancun", "--chain-id", String(demoChainId), "--slots-in-an-epoch", "32"],
    ...["--accounts", String(demoAccountCount), "--mnemonic", demoMnemonic, "--balance", "1000000"],
    ...["--host", "127.0.0.1", "--port", String(port), "--quiet", "--color", "never"],
    ...["--state", stateFile, "--state-interval", String(stateIntervalSeconds)],
    // Old account states fill memory, then the home directory. Blocks and receipts are kept.
    ...["--prune-history", "256"],
    ...(phase === "live" ? ["--block-time", String(blockTimeMs / 1000)] : ["--no-mining"]),
    // At every start: the node recreates its first block. If it differs, the node saves both and later serves either.
    ...["--timestamp", String(genesisTimestamp)],
  ]
}
