// Nodes in this process, where a test drives their heads and answers, and whatever else ends with it, the last first.

import {
  type RunningChainServer,
  type StartChainServerOptions,
  startChainServer,
} from "../../test/support/chain-server.js"
import { startTamperingNode, type TamperingNode } from "../../test/support/tampering-node.js"

export class EndsWhatItStarted {
  readonly #ending: (() => Promise<unknown>)[] = []

  ending(end: () => Promise<unknown>): void {
    this.#ending.push(end)
  }

  async drivenNode(options: StartChainServerOptions): Promise<RunningChainServer> {
    const node = await startChainServer({ transactionsPerBlock: 5, logsPerBlock: 6, holders: 200, ...options })
    this.ending(() => node.stop())
    return node
  }

  async tamperingNode(view: TamperingNode["view"]): Promise<TamperingNode> {
    const node = await startTamperingNode(view)
    this.ending(() => node.stop())
    return node
  }

  protected async end(): Promise<void> {
    for (const end of this.#ending.splice(0).reverse()) await end()
  }
}
