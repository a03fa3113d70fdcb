// What a node says of its blocks, by plain JSON-RPC: a piece of heights at a time, each piece one request. Numbers that no
// double holds are rounded here as JSON.parse rounds them; nodes write theirs as hex text.

export type Json = Readonly<Record<string, unknown>>

export interface NodeBlock {
  readonly height: number
  /** With whole transactions. */
  readonly block: Json
  readonly transactions: readonly NodeTransaction[]
}

export interface NodeTransaction {
  readonly tx: Json
  readonly receipt: Json
  readonly logs: readonly Json[]
}

interface Call {
  readonly method: string
  readonly params: readonly unknown[]
}

export async function readChainId(rpcUrl: string): Promise<bigint> {
  const [id] = await askAll(rpcUrl, [{ method: "eth_chainId", params: [] }])
  return BigInt(id as string)
}

export async function* readNode(
  rpcUrl: string,
  { to, blocksPerPiece }: { readonly to: number; readonly blocksPerPiece: number },
): AsyncGenerator<NodeBlock[]> {
  for (let from = 0; from < to; from += blocksPerPiece) {
    const heights = Array.from({ length: Math.min(blocksPerPiece, to - from) }, (_, i) => from + i)
    const answers = await askAll(
      rpcUrl,
      heights.flatMap((height) => [
        { method: "eth_getBlockByNumber", params: [quantity(height), true] },
        { method: "eth_getBlockReceipts", params: [quantity(height)] },
      ]),
    )
    yield heights.map((height, i) => join(height, answers[2 * i], answers[2 * i + 1]))
  }
}

export const quantity = (height: number): string => `0x${height.toString(16)}`

/** Each transaction with the receipt that names it, wherever that stands in the list. */
function join(height: number, answer: unknown, receiptsAnswer: unknown): NodeBlock {
  if (answer === null || receiptsAnswer === null)
    throw new Error(`the node has no block ${height}, or no receipts of it`)
  const block = answer as Json
  const receipts = receiptsAnswer as readonly Json[]
  const transactions = block["transactions"] as readonly Json[]
  const byHash = new Map(receipts.map((receipt) => [receipt["transactionHash"], receipt]))
  if (byHash.size !== transactions.length || receipts.length !== transactions.length)
    throw new Error(`block ${height} has ${transactions.length} transactions and ${receipts.length} receipts`)
  return {
    height,
    block,
    transactions: transactions.map((tx) => {
      const receipt = byHash.get(tx["hash"])
      // The chain may have turned between the two answers.
      if (receipt === undefined || receipt["blockHash"] !== block["hash"])
        throw new Error(`the node has no receipt of transaction ${String(tx["hash"])} in block ${height}`)
      return { tx, receipt, logs: receipt["logs"] as readonly Json[] }
    }),
  }
}

interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: unknown
}

async function askAll(rpcUrl: string, calls: readonly Call[]): Promise<unknown[]> {
  const asked = calls.map((call, id) => ({ jsonrpc: "2.0", id, ...call }))
  const answers = (await post(rpcUrl, asked)) as readonly Answer[]
  if (!Array.isArray(answers)) throw new Error(`the node refused ${calls.length} calls: ${JSON.stringify(answers)}`)
  const byId = new Map(answers.map((answer) => [answer.id, answer]))
  return calls.map(({ method, params }, id) => {
    const answer = byId.get(id)
    if (answer?.result === undefined)
      throw new Error(`${method}(${String(params[0])}) was not answered: ${JSON.stringify(answer?.error)}`)
    return answer.result
  })
}

export async function post(rpcUrl: string, body: unknown): Promise<unknown> {
  const headers = { "content-type": "application/json" }
  const response = await fetch(rpcUrl, { method: "POST", headers, body: JSON.stringify(body) })
  return response.json()
}
