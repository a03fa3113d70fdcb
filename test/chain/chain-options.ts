// What determines a synthetic chain. Equal resolved options give equal bytes, on any machine and at any time.

export interface Fork {
  /** The first height that differs. */
  readonly at: number
  readonly seed: number
}

export interface ChainOptions {
  readonly seed?: number
  /** The last height: blocks 0 to `blocks` exist. */
  readonly blocks?: number
  readonly transactionsPerBlock?: number
  /** On average: a block has up to a sixth more or fewer. */
  readonly logsPerBlock?: number
  readonly holders?: number
  /** Ids of each ERC-721 collection, at most 65,536: the fewer, the more often one changes hands twice in a block. */
  readonly tokenIds?: number
  readonly chainId?: number
  /** Real transaction hashes, transactionsRoot and receiptsRoot. Off by default: it takes three to four times as long. */
  readonly realRoots?: boolean
  /** The same chain below this height, other blocks from it on. Needs `forkSeed`. */
  readonly forkAt?: number
  readonly forkSeed?: number
  /** One block with very many logs in few transactions. */
  readonly hugeBlockAt?: number
  readonly hugeBlockLogs?: number
}

const defaults = {
  seed: 1,
  blocks: 2_000,
  transactionsPerBlock: 50,
  logsPerBlock: 60,
  holders: 50_000,
  tokenIds: 65_536,
  chainId: 1337,
  realRoots: false,
  hugeBlockLogs: 50_000,
}

export interface ResolvedChainOptions extends Readonly<typeof defaults> {
  /** In order of making: a later fork wins from its height on. */
  readonly forks: readonly Fork[]
  readonly hugeBlockAt: number | undefined
}

export const hugeBlockTransactions = 4

export function resolveChainOptions({
  forkAt,
  forkSeed,
  hugeBlockAt,
  ...given
}: ChainOptions = {}): ResolvedChainOptions {
  if ((forkAt === undefined) !== (forkSeed === undefined)) {
    throw new TypeError("a fork needs both forkAt and forkSeed")
  }
  if (forkAt !== undefined && forkAt < 1) throw new RangeError(`forkAt is ${forkAt}; the lowest is 1`)
  const forks = forkAt === undefined ? [] : [{ at: forkAt, seed: forkSeed! }]
  return { ...defaults, ...given, forks, hugeBlockAt }
}

/** The seed that decides the content of a height. */
export function seedAt(options: ResolvedChainOptions, height: number): number {
  let seed = options.seed
  for (const fork of options.forks) if (height >= fork.at) seed = fork.seed
  return seed
}
