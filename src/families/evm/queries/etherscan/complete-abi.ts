// An ABI with every field that its entries have by Solidity's specification, also those that may be left out where it is given:
// parsers such as that of cast refuse an event without `anonymous`.

import type { AbiEntry, AbiParameter } from "../../parse-abi.js"

const mutability: Readonly<Record<string, string>> = { receive: "payable" }

export function completeEntry({ type, name, inputs = [], outputs = [], ...rest }: AbiEntry): AbiEntry {
  const { anonymous = false, stateMutability = mutability[type] ?? "nonpayable" } = rest
  switch (type) {
    case "event":
      return { type, name: name!, inputs: inputs.map(withIndexed), anonymous }
    case "error":
      return { type, name: name!, inputs }
    case "function":
      return { type, name: name!, inputs, outputs, stateMutability }
    case "constructor":
      return { type, inputs, stateMutability }
    default:
      return { type, stateMutability }
  }
}

const withIndexed = (parameter: AbiParameter): AbiParameter => ({ ...parameter, indexed: parameter.indexed ?? false })
