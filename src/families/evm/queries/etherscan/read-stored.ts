// Reads single things of raw, which are true whatever else is missing; how far raw is complete is told with them.

import { rawIngester } from "../../../../coordination/raw-ingester.js"
import { type AnswerScope, readScope } from "../../../../queries/answer-scope.js"
import type { Completeness, EtherscanAsk } from "../../../../queries/etherscan/etherscan-action.js"
import { EtherscanError } from "../../../../queries/etherscan/etherscan-error.js"
import type { ServedChain } from "../../../../queries/served-chain.js"

type Tx = Parameters<Parameters<ServedChain["read"]>[1]>[0]

export interface Stored {
  readonly tx: Tx
  readonly scope: AnswerScope
  /** The newest stored block. */
  readonly newest: number
}

export async function readStored<T>(
  { chain }: Pick<EtherscanAsk, "chain">,
  read: (stored: Stored) => Promise<T>,
): Promise<{ readonly value: T; readonly completeness: Completeness; readonly scope: AnswerScope }> {
  return chain.read("raw", async (tx) => {
    const scope = await readScope(tx, { store: "raw", workers: [rawIngester] })
    const end = scope?.covered.at(-1)?.to
    if (!scope || end === undefined) throw new EtherscanError(`Error! No block of ${chain.name} is stored yet`)
    const value = await read({ tx, scope, newest: end - 1 })
    return { value, scope, completeness: { watermark: scope.watermark, gaps: [] } }
  })
}
