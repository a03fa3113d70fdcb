// Which range a group of workers takes together: the one furthest behind leads, the others join where they have exactly
// that range to do. Pure. A worker alone is a group of one.

import type { BlockRange } from "../domain/block-range.js"
import { contains, type RangeSet, union } from "../domain/range-set.js"
import { type Choice, type ClaimView, chooseRange, freeRanges, type UnfinishedLease } from "./choose-range.js"
import type { ClaimMember, GroupClaimRequest } from "./lease-store.js"

/** What one statement saw of a worker: taken from two, a commit in between would make a covered range look free. */
export interface WorkerView {
  readonly heights: RangeSet
  readonly skipped: RangeSet
  readonly unfinished: readonly UnfinishedLease[]
}

export interface MemberChoice {
  readonly member: ClaimMember
  readonly choice: Choice
}

/** `views` holds every member and every dependency; a dependency nobody registered covers nothing. */
export function chooseGroup(
  views: ReadonlyMap<string, WorkerView>,
  request: GroupClaimRequest,
): readonly MemberChoice[] {
  const members = request.members.filter((member) => hasRoom(views.get(member.workerType), member))
  for (const region of request.regions) {
    const lead = chooseLead(views, { members, region, request })
    if (!lead) continue
    const group = new Map([[lead.member.workerType, lead]])
    for (const member of members) {
      if (group.has(member.workerType)) continue
      const choice = join(views, { member, range: lead.choice.range, group })
      if (choice) group.set(member.workerType, { member, choice })
    }
    return members.flatMap(({ workerType }) => group.get(workerType) ?? [])
  }
  return []
}

function hasRoom(view: WorkerView | undefined, { concurrency }: ClaimMember): view is WorkerView {
  if (!view) return false
  return concurrency === undefined || view.unfinished.filter(({ active }) => active).length < concurrency
}

function chooseLead(
  views: ReadonlyMap<string, WorkerView>,
  {
    members,
    region,
    request,
  }: { members: readonly ClaimMember[]; region: BlockRange; request: GroupClaimRequest },
): MemberChoice | undefined {
  let lead: MemberChoice | undefined
  for (const member of members) {
    const choice = chooseRange(claimView(views, member), region, request)
    if (!choice) continue
    const isBehind =
      !lead ||
      (request.order === "newest"
        ? choice.range.to > lead.choice.range.to
        : choice.range.from < lead.choice.range.from)
    if (isBehind) lead = { member, choice }
  }
  return lead?.choice.kind === "new"
    ? { ...lead, choice: { kind: "new", range: aligned(views, { members, lead, region, request }) } }
    : lead
}

/** Ends the leader's range where another's work begins, so that those who are apart come together there. */
function aligned(
  views: ReadonlyMap<string, WorkerView>,
  {
    members,
    lead,
    region,
    request,
  }: {
    members: readonly ClaimMember[]
    lead: MemberChoice
    region: BlockRange
    request: GroupClaimRequest
  },
): BlockRange {
  let { from, to } = lead.choice.range
  for (const member of members) {
    if (member === lead.member) continue
    const view = claimView(views, member)
    // Its own dependencies aside: what it waits for may be done by this very group.
    for (const gap of freeRanges({ ...view, gates: [] }, region)) {
      if (request.order === "newest") {
        if (gap.to > from && gap.to < to) from = gap.to
      } else if (gap.from > from && gap.from < to) to = gap.from
    }
  }
  return { from, to }
}

function join(
  views: ReadonlyMap<string, WorkerView>,
  {
    member,
    range,
    group,
  }: { member: ClaimMember; range: BlockRange; group: ReadonlyMap<string, MemberChoice> },
): Choice | undefined {
  const outside = member.dependencies.filter((name) => !group.has(name))
  const view = claimView(views, { ...member, dependencies: outside })
  if (!view.gates.every((gate) => contains(gate, range))) return undefined
  const same = view.unfinished.find((lease) => lease.range.from === range.from && lease.range.to === range.to)
  if (same) return same.due ? { kind: "failed", id: same.id, range, rest: [] } : undefined
  return contains(freeRanges(view, range), range) ? { kind: "new", range } : undefined
}

function claimView(views: ReadonlyMap<string, WorkerView>, member: ClaimMember): ClaimView {
  const own = views.get(member.workerType)!
  return {
    ...own,
    gates: member.dependencies.map((name) => {
      const dependency = views.get(name)
      return dependency ? union(dependency.heights, dependency.skipped) : []
    }),
  }
}
