// The chain as nodes have it: every reorganisation replaces the blocks from some height up. The version of a block is the
// number of the reorganisation that made it; its parent is what the chain had below it at that time.

import { has, type Range, type State } from "./state.js"

function versionAt(chain: readonly number[], after: number, height: number): number {
  for (let i = after; i > 0; i--) if (chain[i - 1]! <= height) return i
  return 0
}

/** What a raw row holds of a block, as the chain was after so many reorganisations. */
function contentAt(state: State, after: number, height: number): number {
  return versionAt(state.chain, after, height) * 2 + (has(state.raw.repaired, height) ? 1 : 0)
}

export const versionOf = (content: number): number => content >> 1

export function parentVersion(state: State, height: number, content: number): number {
  return versionAt(state.chain, versionOf(content), height - 1)
}

/** Whether a stored block is another than the node's. */
export function isOrphan(state: State, height: number): boolean {
  return versionOf(state.raw.blocks[height]!) !== versionAt(state.chain, state.chain.length, height)
}

export interface Answer {
  readonly data: readonly number[]
  readonly lagging: boolean
}

/** What a node may answer for a range: the canonical blocks, or (a fault) those of the chain before. */
export function answersFor(state: State, range: Range): readonly Answer[] {
  const blocks = (after: number): number[] => {
    const data: number[] = []
    for (let height = range.from; height < range.to; height++) data.push(contentAt(state, after, height))
    return data
  }
  const now = state.chain.length
  const data = blocks(now)
  if (state.left.lag === 0 || now === 0) return [{ data, lagging: false }]
  const old = blocks(now - 1)
  const differs = old.some((content, at) => content !== data[at])
  return differs
    ? [
        { data, lagging: false },
        { data: old, lagging: true },
      ]
    : [{ data, lagging: false }]
}
