// Where a thread's time went, by kind of work, from the profiles that `node --cpu-prof` leaves. A sample belongs to the
// innermost frame that a rule knows, so that native calls count for whoever made them.

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
  readonly children?: readonly number[]
}

interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

export interface WorkRule {
  readonly work: string
  /** Of the frame's file; the end of the URL. */
  readonly file?: RegExp
  readonly functionName?: RegExp
}

/** Microseconds by kind of work. Samples that no rule knows are "other". */
export type WorkTimes = ReadonlyMap<string, number>

/** Times of every thread, in the order in which they were started: the main thread first. */
export function readProfiles(directory: string, rules: readonly WorkRule[]): WorkTimes[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith(".cpuprofile"))
    .sort((a, b) => threadOf(a) - threadOf(b))
    .map((name) => timesOf(JSON.parse(readFileSync(join(directory, name), "utf8")) as CpuProfile, rules))
}

/** CPU.<date>.<time>.<process>.<thread>.<number>.cpuprofile */
const threadOf = (name: string): number => Number(name.split(".")[4])

function timesOf({ nodes, samples, timeDeltas }: CpuProfile, rules: readonly WorkRule[]): WorkTimes {
  const parents = new Map<number, ProfileNode>()
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node)
  const works = new Map<number, string>()
  for (const node of nodes) {
    let work: string | undefined
    for (let at: ProfileNode | undefined = node; at && work === undefined; at = parents.get(at.id)) {
      work = ruleFor(at, rules)?.work
    }
    works.set(node.id, work ?? "other")
  }
  const times = new Map<string, number>()
  for (let i = 0; i < samples.length; i++) {
    const work = works.get(samples[i]!)!
    times.set(work, (times.get(work) ?? 0) + timeDeltas[i]!)
  }
  return times
}

const ruleFor = ({ callFrame }: ProfileNode, rules: readonly WorkRule[]): WorkRule | undefined =>
  rules.find(
    ({ file, functionName }) =>
      (file === undefined || file.test(callFrame.url)) &&
      (functionName === undefined || functionName.test(callFrame.functionName)),
  )
