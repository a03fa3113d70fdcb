// ABIs by what a call or an event begins with.

import type { AbiEntry } from "../parse-abi.js"
import { keccakText } from "../source/keccak.js"
import { type AbiField, abiField } from "./abi-type.js"

export interface NamedAbi {
  readonly source: "given" | "config" | "standard"
  readonly name: string
  readonly entries: readonly AbiEntry[]
}

/** A function or an event, and whose word it is. */
export interface Definition extends Pick<NamedAbi, "source"> {
  readonly abi: string
  readonly name: string
  /** Its hash is the selector or the first topic. */
  readonly signature: string
  readonly inputs: readonly InputField[]
}

interface InputField extends AbiField {
  readonly isIndexed: boolean
}

type BySelector = ReadonlyMap<string, readonly Definition[]>

export interface AbiIndex {
  readonly calls: BySelector
  /** By the first topic. Events of one signature differ in what is indexed. */
  readonly events: BySelector
}

/** Anonymous events are left out: nothing in a log tells which one it is. */
export function indexAbis(abis: readonly NamedAbi[]): AbiIndex {
  const calls = new Map<string, Definition[]>()
  const events = new Map<string, Definition[]>()
  for (const { source, name: abi, entries } of abis) {
    for (const { type, name, inputs = [], anonymous } of entries) {
      if (name === undefined || (type !== "function" && (type !== "event" || anonymous))) continue
      const fields = inputs.map((input) => ({ ...abiField(input), isIndexed: input.indexed === true }))
      const signature = `${name}(${fields.map(({ text }) => text).join(",")})`
      const hash = keccakText(Buffer.from(signature))
      const [found, key] = type === "function" ? [calls, hash.slice(0, 10)] : [events, hash]
      const others = found.get(key)
      const definition = { source, abi, name, signature, inputs: fields }
      if (others) others.push(definition)
      else found.set(key, [definition])
    }
  }
  return { calls, events }
}
