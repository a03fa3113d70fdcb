// A second source of truth, which reads no log at all: what the contracts themselves answer at the covered head. A contract that
// does not answer, or answers something else than its logs said, is listed; whether that is wrong is for the caller, who
// knows which contracts are honest.

import type { HeightRange } from "./height-ranges.js"
import { topicOf, zeroAddress } from "./log-words.js"
import { openSnapshot } from "./open-snapshot.js"
import { readCoverage } from "./read-app.js"
import { post, quantity } from "./read-node.js"

export interface NodeCheckOptions {
  readonly appUrl: string
  readonly rpcUrl: string
  /** At which block the node is asked. Without it: the covered head of each table's worker. */
  readonly height?: number
  /** Rows of each table, spread over its keys; the same ones every time. */
  readonly sample?: number
}

interface NodeDisagreement {
  readonly table: string
  readonly contract: string
  readonly key: string
  readonly stored: string
  /** Undefined when the contract did not answer. */
  readonly answered: string | undefined
}

export interface NodeReport {
  readonly agreed: Readonly<Record<string, number>>
  readonly disagreed: readonly NodeDisagreement[]
  readonly unanswered: readonly NodeDisagreement[]
  /** Tables whose worker does not cover one stretch: their balances are of no single block. */
  readonly partial: readonly string[]
}

interface Question {
  readonly contract: string
  readonly key: string
  readonly stored: string
  readonly call: string
}

interface Asked {
  readonly table: string
  readonly worker: string
  readonly sql: string
  readonly question: (row: Record<string, string>) => Question
}

const selector = (signature: string): string => topicOf(signature).slice(0, 8)
const word = (hex: string): string => hex.padStart(64, "0")
const numberWord = (decimal: string): string => word(BigInt(decimal).toString(16))

const asked: readonly Asked[] = [
  {
    table: "ft_holdings",
    worker: "ft_holdings_worker",
    sql: `select encode(contract_address, 'hex') as contract, encode(address, 'hex') as address, balance::text as stored
      from app.ft_holdings order by md5(contract_address || address) limit $1`,
    question: ({ contract, address, stored }) => ({
      ...{ contract: contract!, key: `address=${address}`, stored: stored! },
      call: selector("balanceOf(address)") + word(address!),
    }),
  },
  {
    table: "nft_ownership",
    worker: "nft_ownership_worker",
    sql: `select encode(contract_address, 'hex') as contract, token_id::text as token_id, encode(owner, 'hex') as stored
      from app.nft_ownership order by md5(encode(contract_address, 'hex') || token_id) limit $1`,
    question: ({ contract, token_id, stored }) => ({
      ...{ contract: contract!, key: `token_id=${token_id}`, stored: BigInt(`0x${stored}`).toString() },
      call: selector("ownerOf(uint256)") + numberWord(token_id!),
    }),
  },
  {
    table: "nft_balances",
    worker: "nft_ownership_worker",
    sql: `select encode(contract_address, 'hex') as contract, token_id::text as token_id, encode(address, 'hex') as address,
        balance::text as stored
      from app.nft_balances order by md5(encode(contract_address || address, 'hex') || token_id) limit $1`,
    question: ({ contract, token_id, address, stored }) => ({
      ...{ contract: contract!, key: `token_id=${token_id} address=${address}`, stored: stored! },
      call: selector("balanceOf(address,uint256)") + word(address!) + numberWord(token_id!),
    }),
  },
]

const defaultSample = 500

export async function checkAgainstNode(options: NodeCheckOptions): Promise<NodeReport> {
  // Coverage and balances have to be of the same moment.
  const app = await openSnapshot(options.appUrl)
  const agreed: Record<string, number> = {}
  const disagreed: NodeDisagreement[] = []
  const unanswered: NodeDisagreement[] = []
  const partial: string[] = []
  try {
    const coverage = await readCoverage(app)
    for (const { table, worker, sql, question } of asked) {
      const height = options.height ?? coveredHead(coverage.get(worker) ?? [])
      if (height === undefined) {
        partial.push(table)
        continue
      }
      const { rows } = await app.query<Record<string, string>>(sql, [options.sample ?? defaultSample])
      agreed[table] = 0
      await assertStateAt(options.rpcUrl, height)
      for (const { contract, key, stored, call } of rows.map(question)) {
        const answered = await callContract(options.rpcUrl, { contract, call, height })
        const entry = { table, contract, key, stored, answered }
        if (answered === stored || (answered === undefined && isBurned(table, stored))) agreed[table]++
        else if (answered === undefined) unanswered.push(entry)
        else disagreed.push(entry)
      }
      await assertStateAt(options.rpcUrl, height)
    }
    return { agreed, disagreed, unanswered, partial }
  } finally {
    await app.end()
  }
}

const coveredHead = (ranges: readonly HeightRange[]): number | undefined =>
  ranges.length === 1 ? ranges[0]!.to - 1 : undefined

/** Contracts refuse to name the owner of what is burned. */
const isBurned = (table: string, stored: string): boolean =>
  table === "nft_ownership" && BigInt(stored) === BigInt(`0x${zeroAddress}`)

/**
 * Before and after the questions: a node that keeps no state of this block refuses
 * every call, which must not pass for contracts that do not answer.
 */
async function assertStateAt(rpcUrl: string, height: number): Promise<void> {
  const { error } = await ask(rpcUrl, "eth_getBalance", [`0x${zeroAddress}`, quantity(height)])
  if (error) throw new Error(`the node has no state of block ${height}: ${error.message}`)
}

/** The first word of the answer; undefined when the call fails or answers less than a word. */
async function callContract(
  rpcUrl: string,
  { contract, call, height }: { readonly contract: string; readonly call: string; readonly height: number },
): Promise<string | undefined> {
  const { result } = await ask(rpcUrl, "eth_call", [{ to: `0x${contract}`, data: `0x${call}` }, quantity(height)])
  if (result === undefined || result.length < 66) return undefined
  return BigInt(result.slice(0, 66)).toString()
}

interface Answer {
  readonly result?: string
  readonly error?: { readonly message: string }
}

const ask = (rpcUrl: string, method: string, params: readonly unknown[]): Promise<Answer> =>
  post(rpcUrl, { jsonrpc: "2.0", id: 1, method, params }) as Promise<Answer>
