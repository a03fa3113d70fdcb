// `extra` holds what the columns do not give back exactly. Here a node's object is put together again from both, and must be
// what the node sent, field for field: a field that is dropped, or changed, is named.

import type { Json } from "./read-node.js"

/** A block's own `extra` also has, once for all, what its rows repeat. */
const sharedNames = ["~tx", "~receipt", "~log"] as const
type SharedName = (typeof sharedNames)[number]

/** Names of fields that the columns would give and the node did not send. */
const absentName = "~absent"

export interface KeptObject {
  readonly sent: Json
  /** What the columns give. */
  readonly given: Json
  /** A list of `sent` that has rows of its own. */
  readonly except?: "transactions" | "logs"
  /** Where in the row's `extra` it has its differences; the whole of it unless given. */
  readonly part?: "tx" | "receipt"
  readonly shared?: SharedName
}

export interface Lost {
  readonly sent: string
  readonly stored: string
}

export type Extra = Json | null | undefined

/** Undefined where it is no JSON object. */
export function parseExtra(text: string | null): Extra {
  if (text === null) return null
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === "object" && parsed !== null ? (parsed as Json) : undefined
  } catch {
    return undefined
  }
}

/** The fields that differ, on both sides; nothing where none does. */
export function lostFields(
  objects: readonly KeptObject[],
  { extra, blockExtra }: { readonly extra: Extra; readonly blockExtra: Extra },
): Lost | undefined {
  if (extra === undefined) return { sent: "", stored: "an extra that is no JSON object" }
  const known = objects.flatMap(({ part }) => part ?? [])
  const strange = known.length === 0 ? [] : Object.keys(extra ?? {}).filter((name) => !known.includes(name as "tx"))
  const wrong = objects.flatMap((object) => differencesOf(object, { extra, blockExtra }))
  if (wrong.length === 0 && strange.length === 0) return undefined
  return {
    sent: wrong.map(({ name, sent }) => `${name}: ${sent}`).join(", "),
    stored: [...wrong.map(({ name, stored }) => `${name}: ${stored}`), ...strange].join(", "),
  }
}

function differencesOf(
  { sent, given, except, part, shared }: KeptObject,
  { extra, blockExtra }: { readonly extra: Json | null; readonly blockExtra: Extra },
): { name: string; sent: string; stored: string }[] {
  const stored = new Map(Object.entries(given))
  for (const [name, value] of Object.entries(object(blockExtra, shared))) stored.set(name, value)
  const own = part === undefined ? extra : object(extra, part)
  for (const [name, value] of Object.entries(own ?? {})) {
    if (name === absentName) for (const absent of value as string[]) stored.delete(absent)
    // A node's own name that begins so has another one in front.
    else if (name.startsWith("~~")) stored.set(name.slice(1), value)
    else if (part !== undefined || !sharedNames.includes(name as SharedName)) stored.set(name, value)
  }
  const names = new Set([...Object.keys(sent), ...stored.keys()])
  if (except !== undefined) names.delete(except)
  return [...names]
    .filter((name) => !isSame(sent[name], stored.get(name)))
    .map((name) => ({ name, sent: text(sent[name]), stored: text(stored.get(name)) }))
}

const object = (from: Extra, name: string | undefined): Json =>
  name === undefined ? {} : ((from?.[name] as Json | undefined) ?? {})

const isSame = (a: unknown, b: unknown): boolean => a === b || text(a) === text(b)

/** With the names of every object in order. */
function text(value: unknown): string {
  if (value === undefined) return "nothing"
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
