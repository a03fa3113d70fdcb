// `decoded` of transactions and events: what an ABI says of their bytes, and which one. Null where none says anything.

import { Type } from "typebox"
import { isMissingSchema } from "../../../postgres/postgres-error.js"
import type { ExtensionSources, RowExtension } from "../../../queries/resource.js"
import { bytesOf } from "../../../queries/value-schemas.js"
import { layersOf } from "../decoding/abi-layers.js"
import { decodeCall, findCalls } from "../decoding/decode-call.js"
import { decodeEvent } from "../decoding/decode-event.js"
import type { DecodeBudget } from "../decoding/decode-values.js"

const source = Type.Enum(["given", "config", "standard"])
/** Its type says how it reads: numbers are decimal texts, bytes hex, a tuple an array of objects like this one. */
const value = { name: Type.String(), type: Type.String(), value: Type.Unsafe<unknown>({}) }
const said = { name: Type.String(), signature: Type.String() }

const decodedCall = Type.Object({
  ...said,
  args: Type.Array(Type.Object(value)),
  abi: Type.Object({ source, name: Type.String(), guessed: Type.Boolean() }),
})
const decodedEvent = Type.Object({
  ...said,
  args: Type.Array(Type.Object({ ...value, indexed: Type.Boolean(), hashed: Type.Optional(Type.Boolean()) })),
  abi: Type.Object({ source, name: Type.String() }),
})

/** Of one answer. */
const budget = (): DecodeBudget => ({ values: 10_000, bytes: 512 << 10 })

interface CallRow {
  readonly to_address: string | null
  readonly input: string | null
}

/** Of one transaction. */
export const callExtension: RowExtension = {
  schema: { decoded: Type.Union([Type.Null(), decodedCall]) },
  extend: async (rows, known) => {
    const calls = rows as unknown as readonly CallRow[]
    const abisOf = await known.abis.of(calls.map(({ to_address: to }) => to))
    const shared = budget()
    return Promise.all(
      calls.map(async ({ to_address: to, input }) => {
        // What creates a contract is code.
        if (to === null || input === null || input.length < 10) return { decoded: null }
        const layers = layersOf(abisOf(to))
        const [own, , standard] = findCalls(input, layers)
        const standards = !own && standard ? await readStandards(to, known) : []
        return { decoded: decodeCall(input, { layers, standards }, shared) }
      }),
    )
  },
}

interface EventRow {
  readonly address: string | null
  readonly topic0: string | null
  readonly topic1: string | null
  readonly topic2: string | null
  readonly topic3: string | null
  readonly data: string | null
}

export const eventExtension: RowExtension = {
  schema: { decoded: Type.Union([Type.Null(), decodedEvent]) },
  extend: async (rows, { abis }) => {
    const events = rows as unknown as readonly EventRow[]
    const abisOf = await abis.of(events.map(({ address }) => address))
    const shared = budget()
    return events.map(({ address, topic0, topic1, topic2, topic3, data }) => {
      const topics = [topic0, topic1, topic2, topic3].filter((topic) => topic !== null)
      return { decoded: decodeEvent({ topics, data }, layersOf(abisOf(address)), shared) }
    })
  },
}

const standardsSql = `select 'ERC-20' as standard from app.ft_tokens where contract_address = $1
  union all select 'ERC-721' from app.nft_collections where contract_address = $1 and erc721_transfers > 0
  union all select 'ERC-1155' from app.nft_collections where contract_address = $1 and erc1155_transfers > 0`

/** What the contract's transfers show it to be. */
async function readStandards(address: string, { readApp }: ExtensionSources): Promise<readonly string[]> {
  try {
    const { rows } = await readApp((tx) =>
      tx.query<{ standard: string }>(standardsSql, [bytesOf(address)], { isLast: true }),
    )
    return rows.map(({ standard }) => standard)
  } catch (error) {
    // Without the worker that tells tokens apart nothing is known of them.
    if (isMissingSchema(error)) return []
    throw error
  }
}
