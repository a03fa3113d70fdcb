// The store that the tests of the explorer look at: a lively chain, and in it what hostile contracts and senders would have
// shown. Served once, with the address of every page.

import { randomUUID } from "node:crypto"
import { encodeAbiParameters, encodeEventTopics, encodeFunctionData, parseAbi } from "viem"
import { planRollback, rollbackChain } from "../../src/operations/rollback-chain.js"
import { systemRandom } from "../../src/platform/random.js"
import { operateChain } from "../../src/roles/operate-chain.js"
import { livelyBlocks } from "../support/lively-blocks.js"
import type { BlockRow } from "../support/raw-rows.js"
import { type ServedStore, serveStore } from "../support/served-store.js"

export const head = 59
/** Above finality, with transactions. */
export const removedHeight = 57
const megabyte = 1 << 20
/** Turn the direction of what follows, hide it, end a line, ring a bell. */
const marks = "\u202e\u2066\u200b\u0007\u001b[31m\r\n\u2028\ufeff\u00ad"
/** As a contract would have it shown: markup, marks, and more than any line holds. */
const hostileName = `<img src=x onerror=hacked=1><script>hacked=1</script>${marks}${"W".repeat(4_000)}`
const hostileSymbol = `HOST<b>${marks}</b>${"S".repeat(4_000)}`

/** A contract whose ABI was given, called with such a text, and by somebody who only looks like a token's. */
const vault = "ce".repeat(20)
const vaultAbi = parseAbi([
  "function store(string note, (uint8 kind, bytes data)[] parts)",
  "event Stored(address indexed by, string note)",
])
const note = `<b>${hostileName.slice(0, 500)}</b>`
export const calls = {
  stored: `0x${"e1".repeat(32)}`,
  guessed: `0x${"e2".repeat(32)}`,
  /** Calls with a megabyte, and logs as much. */
  large: `0x${"e3".repeat(32)}`,
} as const
const [stored, by] = encodeEventTopics({ abi: vaultAbi, eventName: "Stored", args: { by: `0x${"01".repeat(20)}` } })
export const storedTopic = String(stored)
const inputs = {
  stored: encodeFunctionData({ abi: vaultAbi, functionName: "store", args: [note, [{ kind: 7, data: "0x1234" }]] }),
  guessed: encodeFunctionData({ abi: parseAbi(["function renounceOwnership()"]) }),
  large: `0x${Buffer.from(hostileName.padEnd(megabyte, "W")).toString("hex")}`,
} as const
export const storedInput = inputs.stored
const logOf = (text: string) => ({
  ...{ address: vault, topics: [stored, by].map((topic) => String(topic).slice(2)) },
  data: encodeAbiParameters([{ type: "string" }], [text]).slice(2),
})
const logs = {
  stored: [logOf(note), { address: vault, topics: ["ab".repeat(32)], data: "0011" }],
  guessed: [],
  large: [logOf(hostileName.padEnd(megabyte, "W"))],
}
const columns = { type: 2, status: 1, from_address: `\\x${"01".repeat(20)}`, to_address: `\\x${vault}`, value: 0 }
const hostile = (["stored", "guessed", "large"] as const).map((name, at) => ({
  ...{ id: calls[name].slice(2), columns: { ...columns, nonce: at, input: `\\x${inputs[name].slice(2)}` } },
  logs: logs[name],
}))
/** So that there is something to lose at this height. */
export const lost = `0x${"d1".repeat(32)}`
const lostRow = { id: lost.slice(2), columns: { ...columns, nonce: 9, input: "\\x" }, logs: [] }

const blocks = livelyBlocks({ seed: 7, from: 0, to: head + 1 }).map((block): BlockRow => {
  if (block.height === 45) return { ...block, transactions: hostile }
  return block.height === removedHeight ? { ...block, transactions: [lostRow, ...block.transactions] } : block
})
const itemDocument = {
  name: hostileName.slice(0, 2_000),
  image: "https://elsewhere.example/<b>.png",
  attributes: [{ value: "Arms<b>" }],
}

export interface ExplorerStore {
  readonly served: ServedStore
  /** Every page, by name. */
  readonly paths: Readonly<Record<string, string>>
  /** What the stream tells. */
  tell(kind: "block" | "rollback", payload: object): Promise<unknown>
  /** Rolls the chain back to below a height, as an operator does. */
  rollBack(from: number): Promise<void>
  /** Other blocks from there to the head, which the stream tells of. */
  replace(from: number): Promise<void>
  close(): Promise<void>
}

export async function openExplorerStore(): Promise<ExplorerStore> {
  const uri = `data:application/json,${encodeURIComponent(JSON.stringify(itemDocument))}`
  const answer = encodeAbiParameters([{ type: "string" }], [uri])
  const node = { call: async () => ({ value: answer }), close: async () => undefined }
  const served = await serveStore(blocks, { live: true, node, itemMetadata: { isOn: true } })
  const { raw, app } = served.store
  await app.query("insert into app.abis (address, name, abi, created_by) values ($1, 'Vault', $2, 'ann')", [
    Buffer.from(vault, "hex"),
    JSON.stringify(vaultAbi),
  ])
  await raw.query("update raw.chain_state set head_height = $1, finalized_height = 40", [head])
  const tell: ExplorerStore["tell"] = (kind, payload) =>
    app.query("insert into app.outbox (id, kind, epoch, payload) values ($1, $2, 0, $3)", [
      ...[randomUUID(), kind],
      JSON.stringify(payload),
    ])
  return {
    served,
    tell,
    paths: await pathsOf(served),
    rollBack: async (from) => {
      const chain = operateChain({ name: "test", raw, app, random: systemRandom })
      await rollbackChain(chain, { actor: "ann", plan: await planRollback(chain, { to: from - 1 }) })
    },
    replace: async (from) => {
      const others = livelyBlocks({ seed: 8, from, to: head + 1 }).map((block): BlockRow => {
        const hash = `f${block.height.toString(16).padStart(63, "0")}`
        return { ...block, hash, transactions: block.height === from + 1 ? [lostRow] : [] }
      })
      await served.store.append(others)
      await served.store.deriveAll()
      const [first] = others
      const { height, hash, timestamp } = first!
      await tell("block", { height: String(height), hash: `0x${hash}`, timestamp, transaction_count: 0 })
    },
    close: () => served.close(),
  }
}

async function pathsOf(served: ServedStore): Promise<Readonly<Record<string, string>>> {
  const first = async (path: string): Promise<Record<string, string>> =>
    (await served.get(`/v1/test/${path}`)).json.data[0]
  const token = (await first("tokens?sort=holders"))["contract_address"]!
  const collection = (await first("collections?sort=items"))["contract_address"]!
  // The store would not take them: the pages must not depend on that.
  for (const name of ["name", "symbol"])
    await served.store.app.query(`alter table app.token_metadata drop constraint token_metadata_${name}_check`)
  await served.store.app.query(
    `insert into app.token_metadata (contract_address, status, asked_at_height, block_hash, name, symbol, decimals)
     select decode(address, 'hex'), 'answered', 59, '\\x00', $2, $3, 2 from unnest($1::text[]) as address`,
    [[token.slice(2), collection.slice(2)], hostileName, hostileSymbol],
  )
  const transfer = await first(`tokens/${token}/transfers`)
  const holder = (await first(`tokens/${token}/holders`))["address"]!
  const item = (await first(`collections/${collection}/items`))["token_id"]!
  const deployed = blocks
    .flatMap(({ transactions }) => transactions)
    .find(({ columns }) => columns["contract_address"] && columns["status"] === 1)
  const contract = String(deployed?.columns["contract_address"] ?? `\\x${"c0".repeat(20)}`).replace("\\x", "0x")
  const paths = {
    home: "",
    blocks: "/blocks",
    block: "/blocks/30",
    "block of hostile events": "/blocks/45?tab=events",
    transactions: "/transactions",
    transaction: `/transactions/${transfer["transaction_hash"]}`,
    call: `/transactions/${calls.stored}`,
    events: `/transactions/${calls.stored}?tab=events`,
    input: `/transactions/${calls.stored}?tab=input`,
    raw: `/transactions/${calls.stored}?tab=raw`,
    large: `/transactions/${calls.large}`,
    "large input": `/transactions/${calls.large}?tab=input`,
    "large raw": `/transactions/${calls.large}?tab=raw`,
    account: `/accounts/${holder}`,
    holdings: `/accounts/${holder}?tab=holdings`,
    transfers: `/accounts/${holder}?tab=transfers`,
    nfts: `/accounts/${holder}?tab=nfts`,
    "transfers of NFTs": `/accounts/${holder}?tab=nft-transfers`,
    contract: `/accounts/${contract}?tab=contract`,
    "contract of a token": `/accounts/${token}`,
    "events of a contract": `/accounts/${token}?tab=events`,
    tokens: "/tokens",
    token: `/tokens/${token}`,
    "transfers of a token": `/tokens/${token}?tab=transfers`,
    collections: "/collections",
    collection: `/collections/${collection}`,
    "transfers of a collection": `/collections/${collection}?tab=transfers`,
    item: `/collections/${collection}/${item}`,
    stats: "/stats",
    search: `/search?q=${holder.slice(0, 6)}`,
    "search for a name": "/search?q=HOST",
    "nothing found": "/search?q=nobody",
    "no block yet": "/blocks/60000",
    "no such transaction": `/transactions/0x${"12".repeat(32)}`,
    "no page": "/nothing/here",
  }
  return {
    ...Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, `/test${path}`])),
    "no chain": "/nochain",
  }
}
