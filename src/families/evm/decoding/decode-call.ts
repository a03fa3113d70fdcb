// The function that a transaction calls, with its arguments. A selector is four bytes that anybody may have chosen: unless
// the contract is known to have the function, the name is a guess, and said to be one.

import type { AbiLayers } from "./abi-layers.js"
import { type DecodeBudget, type DecodedValue, decodeValues } from "./decode-values.js"
import type { Definition } from "./index-abis.js"

export interface DecodedCall {
  readonly name: string
  readonly signature: string
  readonly args: readonly DecodedValue[]
  readonly abi: {
    readonly source: Definition["source"]
    readonly name: string
    /** Nothing but the selector says that the contract has this function. */
    readonly guessed: boolean
  }
}

export interface CalledContract {
  readonly layers: AbiLayers
  /** Names of the standards that it keeps to. */
  readonly standards: readonly string[]
}

const selectorDigits = 10

/** Null: nothing has its selector, or its arguments are not of that function. */
export function decodeCall(input: string, contract: CalledContract, budget: DecodeBudget): DecodedCall | null {
  for (const { definition, guessed } of candidates(input, contract)) {
    const args = decodeValues(definition.inputs, Buffer.from(input.slice(selectorDigits), "hex"), budget)
    const { name, signature, source, abi } = definition
    if (args) return { name, signature, args, abi: { source, name: abi, guessed } }
  }
  return null
}

/** In the order in which they are believed. */
function candidates(input: string, { layers, standards }: CalledContract) {
  const [own = [], any = [], standard = []] = findCalls(input, layers)
  const isKept = ({ abi }: Definition) => standards.includes(abi)
  return [
    ...own.map((definition) => ({ definition, guessed: false })),
    ...any.map((definition) => ({ definition, guessed: true })),
    ...standard.filter(isKept).map((definition) => ({ definition, guessed: false })),
    ...standard.filter((one) => !isKept(one)).map((definition) => ({ definition, guessed: true })),
  ]
}

/** With the names of the parameters, as people write it; undefined where nothing has the selector. */
export function functionText(input: string, layers: AbiLayers): string | undefined {
  const definition = findCalls(input, layers).flatMap((found) => found ?? [])[0]
  if (!definition) return undefined
  const inputs = definition.inputs.map(({ text, name }) => (name === "" ? text : `${text} ${name}`))
  return `${definition.name}(${inputs.join(", ")})`
}

/** Functions with the selector of the input, by layer. */
export const findCalls = (input: string, { own, any, standard }: AbiLayers): (readonly Definition[] | undefined)[] =>
  [own, any, standard].map(({ calls }) => calls.get(input.slice(0, selectorDigits)))
