// Entries of an ABI in the short form in which standards write them: `function transfer(address to, uint256 amount)`,
// `event Transfer(address indexed from, …)`, a tuple as `(address token, uint24 fee)[] path`. For texts of our own.

import type { AbiEntry, AbiParameter } from "../parse-abi.js"

export function parseSignature(text: string): AbiEntry {
  const [, type, name, inputs] = /^(function|event) (\w+)\((.*)\)$/s.exec(text)!
  return { type: type as "function" | "event", name: name!, inputs: splitList(inputs!).map(parameterOf) }
}

function parameterOf(text: string): AbiParameter {
  const [, components, plain, suffix, indexed, name = ""] =
    /^(?:\((.*)\)|(\w+))((?:\[\d*\])*)( indexed)?(?: (\w+))?$/s.exec(text)!
  return {
    name,
    type: `${components === undefined ? plain : "tuple"}${suffix}`,
    ...(indexed ? { indexed: true } : {}),
    ...(components === undefined ? {} : { components: splitList(components).map(parameterOf) }),
  }
}

/** At the commas that are in no brackets. */
function splitList(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    if (text[at] === "(") depth++
    else if (text[at] === ")") depth--
    else if (at === text.length || (text[at] === "," && depth === 0)) {
      parts.push(text.slice(start, at).trim())
      start = at + 1
    }
  }
  return text.trim() === "" ? [] : parts
}
