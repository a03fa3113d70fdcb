// Refuses documents that are larger than any honest query, before anything looks at them in full: validation compares
// fields with each other, and fragments multiply what they hold. Each fragment is measured once.

import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from "graphql"
import { RequestError } from "../request-error.js"

export const operationLimits = {
  /** Of the document. */
  tokens: 2_000,
  /** With fragments put in where they are named. */
  fields: 500,
  depth: 16,
  aliases: 50,
  directives: 50,
  /** Rows that the answer may have. */
  cost: 10_000,
} as const

interface Size {
  readonly fields: number
  readonly depth: number
  readonly aliases: number
  readonly directives: number
}

const nothing: Size = { fields: 0, depth: 0, aliases: 0, directives: 0 }
const sum = (a: Size, b: Size): Size => ({
  fields: a.fields + b.fields,
  depth: Math.max(a.depth, b.depth),
  aliases: a.aliases + b.aliases,
  directives: a.directives + b.directives,
})

export function fragmentsOf({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  return new Map(definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])))
}

export function assertLimits(document: DocumentNode): void {
  const fragments = fragmentsOf(document)
  const measured = new Map<string, Size | "open">()
  const ofFragment = (name: string): Size => {
    const known = measured.get(name)
    if (known === "open") throw tooComplex(`fragment ${name} contains itself`)
    if (known) return known
    measured.set(name, "open")
    const size = measure(fragments.get(name)?.selectionSet)
    measured.set(name, size)
    return size
  }
  const measure = (set: SelectionSetNode | undefined): Size =>
    (set?.selections ?? []).reduce((size, selection) => {
      const directives = { ...nothing, directives: selection.directives?.length ?? 0 }
      if (selection.kind === Kind.FRAGMENT_SPREAD)
        return checked(sum(sum(size, directives), ofFragment(selection.name.value)))
      const inner = measure(selection.selectionSet)
      if (selection.kind === Kind.INLINE_FRAGMENT) return checked(sum(sum(size, directives), inner))
      const own = { fields: 1, depth: 0, aliases: selection.alias ? 1 : 0, directives: 0 }
      return checked(sum(sum(size, directives), sum(own, { ...inner, depth: inner.depth + 1 })))
    }, nothing)
  for (const one of document.definitions) {
    if (one.kind === Kind.FRAGMENT_DEFINITION) ofFragment(one.name.value)
  }
  document.definitions.reduce((size, one) => {
    if (one.kind !== Kind.OPERATION_DEFINITION) return size
    const own = { ...nothing, directives: one.directives?.length ?? 0 }
    return checked(sum(sum(size, own), measure(one.selectionSet)))
  }, nothing)
}

function checked(size: Size): Size {
  for (const name of ["fields", "depth", "aliases", "directives"] as const) {
    const most = operationLimits[name]
    if (size[name] > most) throw tooComplex(`the document has more than ${most} ${words[name]}`)
  }
  return size
}

const words = { fields: "fields", depth: "levels", aliases: "aliases", directives: "directives" }

export const tooComplex = (message: string): RequestError => new RequestError("QUERY_TOO_COMPLEX", message)
