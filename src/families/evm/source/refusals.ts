// What a provider means by refusing a request: too many calls, too long a batch, or too large an answer. Codes decide;
// text only where providers use one code for several things, or a code that says nothing.

export type RefusalKind =
  /** Too many calls: slow down and ask again. */
  | "rate"
  /** Too many calls in one request. */
  | "batch"
  /** The answer, or the request, is too large: fewer calls in one request. */
  | "size"

interface Refusal {
  readonly httpStatus?: number | undefined
  readonly hasRetryAfter?: boolean | undefined
  readonly code: number | null
  readonly message: string
}

/** Codes that mean one thing only, and who sends them. */
const codes: ReadonlyMap<number, RefusalKind> = new Map<number, RefusalKind>([
  [429, "rate"], // Alchemy, dRPC
  [-32016, "rate"], // proxyd (OP Stack, Base): over rate limit
  [-32017, "rate"], // proxyd: sender is over rate limit
  [-32024, "rate"], // proxyd: too many requests
  [-32029, "rate"], // several gateways
  [-32090, "rate"], // public gateways: call rate limit exhausted
  [-32097, "rate"], // BlockPI
  [-32010, "batch"], // jsonrpsee (Reth): the batch request was too large
  [-32014, "batch"], // proxyd: too many RPC calls in batch request
  [-32008, "size"], // jsonrpsee: response is too big
  [-32020, "size"], // proxyd: backend response too large
  [-32021, "size"], // proxyd: request body too large
])

/** What these mean where the text says nothing else: each has another meaning in another server. */
const usualMeaning: ReadonlyMap<number, RefusalKind> = new Map<number, RefusalKind>([
  [-32005, "rate"], // EIP-1474: limit exceeded. jsonrpsee: batched requests are not supported
  [-32007, "rate"], // QuickNode: 50/second request limit reached. jsonrpsee: request is too big
  [-32012, "rate"], // QuickNode: credits limited; proxyd: backend is over capacity
])

/** In this order. Each is a spelling that a provider was seen to use with a code that says nothing, such as -32000. */
const spellings: readonly (readonly [RefusalKind, RegExp])[] = [
  ["size", /\bresponse\b.{0,40}\b(too (large|big)|exceed|over the limit|larger than)/],
  ["size", /\b(too (large|big)|exceeds?)\b.{0,40}\bresponse\b/],
  ["size", /\b(request|body|payload|entity|content)\b.{0,20}\btoo (large|big)/],
  [
    "batch",
    /\bbatch(es|ed|ing)?\b.{0,60}\b(too (large|big|long|many)|not (supported|allowed|enabled)|disabled|limit|exceed|max)/,
  ],
  ["batch", /\b(too many|max(imum)?|no|limit\w*|exceed\w*|only|up to)\b.{0,60}\bbatch(es|ed)?\b/],
  ["rate", /\bcompute units?\b/],
  ["rate", /\brate[- _]?limit/],
  ["rate", /\brate (is |was |has been )?exceeded|\bexceeded .{0,30}\b(rate|throughput)\b/],
  ["rate", /\btoo many (concurrent )?(requests|calls)\b/],
  ["rate", /\bcapacity (limit )?(exceeded|reached)|\bexceeded .{0,40}\bcapacity\b|\bover capacity\b/],
  [
    "rate",
    /\b(requests?|calls?|credits?|usage|quota|cu)\b.{0,20}\b(limit|quota|count)?\s?(reached|exceeded|exhausted)\b/,
  ],
  ["rate", /\b(credits|requests|calls) (are )?limited to\b/],
  ["rate", /\bexceeded .{0,40}\b(requests|calls|credits|quota)\b/],
  ["rate", /\bthrottl/],
]

/** EIP-4444's code, and what nodes say that keep recent blocks only. */
export const saysPruned = ({ code, message }: Refusal): boolean =>
  code === prunedHistory || keepsRecent.test(spoken(message))

const prunedHistory = 4444
const keepsRecent = /\b(pruned|archive|historical|missing trie node)\b/

/** A contract chooses the text of its revert, so it never counts. */
const executionReverted = 3
const contractSpoke = /revert|execution|vm error|invalid opcode|out of gas/

/** Undefined for an error that is about the call and not about how much was asked for. */
export function refusalKind({ httpStatus, hasRetryAfter = false, code, message }: Refusal): RefusalKind | undefined {
  if (httpStatus === 429 || (httpStatus === 503 && hasRetryAfter)) return "rate"
  if (httpStatus === 413) return "size"
  const known = codes.get(code ?? 0)
  if (known !== undefined) return known
  return spelled(code, message) ?? usualMeaning.get(code ?? 0)
}

function spelled(code: number | null, message: string): RefusalKind | undefined {
  const text = spoken(message)
  if (code === executionReverted || contractSpoke.test(text)) return undefined
  return spellings.find(([, spelling]) => spelling.test(text))?.[0]
}

/** The part that a refusal fits into. What follows may be anything that the request contained. */
const spoken = (message: string): string => message.slice(0, 300).toLowerCase()
