// How the demo's node is started.

import type { AnvilPhase } from "./anvil-record.js"
import { demoAccountCount, demoChainId, demoMnemonic } from "./demo-accounts.js"

/** What is lost at most when the node is killed: fewer blocks than lie above finality (64). */
const stateIntervalSeconds = 45

export interface AnvilArguments {
  readonly stateFile: string
  readonly port: number
  readonly phase: AnvilPhase
  readonly blockTimeMs: number
  readonly genesisTimestamp: number
}

export function anvilArguments({
  stateFile,
  port,
  phase,
  blockTimeMs,
  genesisTimestamp,
}: AnvilArguments): string[] {
  return [
    // Cancun: under later rules, with EIP-2935, the node copies a storage that grows by each block. An empty one took 1 ms
    // at first and 11 ms after 6,000 blocks, and memory was 1.7 times as much. So there are no type 4 transactions.
    ...["--hardfork", "cancun", "--chain-id", String(demoChainId), "--slots-in-an-epoch", "32"],
    ...["--accounts", String(demoAccountCount), "--mnemonic", demoMnemonic, "--balance", "1000000"],
    ...["--host", "127.0.0.1", "--port", String(port), "--quiet", "--color", "never"],
    ...["--state", stateFile, "--state-interval", String(stateIntervalSeconds)],
    // Old account states fill memory and, past that, the home folder. Blocks and receipts are kept.
    ...["--prune-history", "256"],
    ...(phase === "live" ? ["--block-time", String(blockTimeMs / 1000)] : ["--no-mining"]),
    // At every start: the node makes its first block anew, and if that differs, saves it beside the one it had
    // and after the next start serves either.
    ...["--timestamp", String(genesisTimestamp)],
  ]
}
