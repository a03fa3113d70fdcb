// An event with its arguments. Its first topic is a whole hash, which nobody can choose to match another signature; what is
// indexed the hash does not tell, so the number of topics and all data have to fit.

import type { AbiLayers } from "./abi-layers.js"
import { type DecodeBudget, type DecodedValue, decodeValues } from "./decode-values.js"
import type { Definition } from "./index-abis.js"

export interface DecodedEvent {
  readonly name: string
  readonly signature: string
  readonly args: readonly EventValue[]
  readonly abi: { readonly source: Definition["source"]; readonly name: string }
}

interface EventValue extends DecodedValue {
  readonly indexed: boolean
  /** The value is the hash of what was logged, which nothing stores. */
  readonly hashed?: true
}

interface LoggedEvent {
  readonly topics: readonly string[]
  /** Null where it is not known. */
  readonly data: string | null
}

/** Null: nothing has its first topic, or its other topics and its data are not of that event. */
export function decodeEvent(
  { topics, data }: LoggedEvent,
  layers: AbiLayers,
  budget: DecodeBudget,
): DecodedEvent | null {
  const [first, ...indexed] = topics
  if (first === undefined) return null
  for (const index of [layers.own, layers.any, layers.standard]) {
    for (const definition of index.events.get(first) ?? []) {
      const args = argsOf(definition, { topics: indexed, data }, budget)
      const { name, signature, source, abi } = definition
      if (args) return { name, signature, args, abi: { source, name: abi } }
    }
  }
  return null
}

function argsOf(
  { inputs }: Definition,
  { topics, data }: LoggedEvent,
  budget: DecodeBudget,
): readonly EventValue[] | undefined {
  const [indexed, others] = [inputs.filter((one) => one.isIndexed), inputs.filter((one) => !one.isIndexed)]
  if (indexed.length !== topics.length || (data === null && others.length > 0)) return undefined
  const fromTopics = indexed.map((field, at) => topicValue(field, topics[at]!, budget))
  const fromData = decodeValues(others, bytesOf(data ?? "0x"), budget)
  if (!fromData || !fromTopics.every((one) => one !== undefined)) return undefined
  const values = [fromTopics.values(), fromData.values()] as const
  return inputs.map(({ isIndexed }) => ({ ...values[isIndexed ? 0 : 1].next().value!, indexed: isIndexed }))
}

type Indexed = DecodedValue & { readonly hashed?: true }

function topicValue(field: Definition["inputs"][number], topic: string, budget: DecodeBudget): Indexed | undefined {
  const { name, text, type } = field
  // Of anything that may be longer than a word.
  if (type.isDynamic || type.kind === "array" || type.kind === "tuple")
    return { name, type: text, value: topic, hashed: true }
  return decodeValues([field], bytesOf(topic), budget)?.[0]
}

const bytesOf = (text: string): Buffer => Buffer.from(text.slice(2), "hex")
