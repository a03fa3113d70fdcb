// Which range a group of workers takes together: the one furthest behind leads, the others join where they have exactly
// that range to do. Pure. A worker alone is a group of one.

import type { BlockRange } from "../domain/block-range.js"
import { contains, union } from "../domain/range-set.js"
import { type Choice, type ClaimView, chooseRange, freeRanges, type WorkerView } from "./choose-range.js"
import type { ClaimMember, GroupClaimRequest } from "./lease-store.js"

export interface MemberChoice {
  readonly member: ClaimMember
  readonly choice: Choice
}

type Views = ReadonlyMap<string, WorkerView>

/** `views` holds every member and every dependency; an unregistered dependency covers nothing. */
export function chooseGroup(views: Views, wanted: GroupClaimRequest): readonly MemberChoice[] {
  const members = wanted.members.filter((member) => hasRoom(views.get(member.worker), member))
  const request = { ...wanted, members }
  for (const region of request.regions) {
    const lead = chooseLead(views, request, region)
    if (!lead) continue
    const group = new Map([[lead.member.worker, lead]])
    for (const member of members) {
      if (group.has(member.worker)) continue
      const choice = join(views, { member, range: lead.choice.range, group })
      if (choice) group.set(member.worker, { member, choice })
    }
    return members.flatMap(({ worker }) => group.get(worker) ?? [])
  }
  return []
}

function hasRoom(view: WorkerView | undefined, { concurrency }: ClaimMember): view is WorkerView {
  if (!view) return false
  return concurrency === undefined || view.unfinished.filter(({ active }) => active).length < concurrency
}

function chooseLead(views: Views, request: GroupClaimRequest, region: BlockRange): MemberChoice | undefined {
  let lead: MemberChoice | undefined
  for (const member of request.members) {
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
    ? { ...lead, choice: { kind: "new", range: aligned(views, request, { lead, region }) } }
    : lead
}

/** Ends the leader's range where another member's work begins, so that members that are apart meet there. */
function aligned(
  views: Views,
  { members, order }: GroupClaimRequest,
  { lead, region }: { lead: MemberChoice; region: BlockRange },
): BlockRange {
  let { from, to } = lead.choice.range
  for (const member of members) {
    if (member === lead.member) continue
    // Without its dependencies: this group may be about to cover the range for it.
    for (const gap of freeRanges(claimView(views, { ...member, dependencies: [] }), region)) {
      if (order === "newest") {
        if (gap.to > from && gap.to < to) from = gap.to
      } else if (gap.from > from && gap.from < to) to = gap.from
    }
  }
  return { from, to }
}

function join(
  views: Views,
  { member, range, group }: { member: ClaimMember; range: BlockRange; group: ReadonlyMap<string, MemberChoice> },
): Choice | undefined {
  const outside = member.dependencies.filter((name) => !group.has(name))
  const view = claimView(views, { ...member, dependencies: outside })
  if (!view.gates.every((gate) => contains(gate, range))) return undefined
  const same = view.unfinished.find((lease) => lease.range.from === range.from && lease.range.to === range.to)
  if (same) return same.due ? { kind: "failed", id: same.id, range, rest: [] } : undefined
  return contains(freeRanges(view, range), range) ? { kind: "new", range } : undefined
}

function claimView(views: Views, { worker, dependencies }: ClaimMember): ClaimView {
  const gates = dependencies.map((name) => {
    const dependency = views.get(name)
    return dependency ? union(dependency.heights, dependency.skipped) : []
  })
  return { ...views.get(worker)!, gates }
}
