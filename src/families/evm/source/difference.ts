// The difference between the JSON that a node sent and the JSON that the columns give, which goes to `extra`.

import { holdsInexact, setOwn } from "./exact-json.js"
import { absentKey, type Json } from "./rebuild-json.js"

/** Thrown while decoding when a kept value has a number that JSON.parse may have changed: decode the exact JSON. */
export class InexactNumber extends Error {}

/**
 * The fields of `sent` that differ from `defaults`, and under "~absent" the defaults that were not sent; undefined
 * when there is no difference. The key `except` is ignored.
 */
export function difference(
  sent: Json,
  defaults: Json,
  except: string | undefined,
  isExact: boolean,
): Json | undefined {
  let out: Json | undefined
  for (const key in sent) {
    if (key === except) continue
    const value = sent[key]
    if (Object.hasOwn(defaults, key) && jsonEqual(value, defaults[key])) continue
    if (!isExact && holdsInexact(value)) throw new InexactNumber(key)
    out ??= {}
    setOwn(out, key.startsWith("~") ? `~${key}` : key, value)
  }
  let absent: string[] | undefined
  for (const key in defaults) {
    if (Object.hasOwn(sent, key) || key === except) continue
    absent ??= []
    absent.push(key)
  }
  if (absent !== undefined) {
    out ??= {}
    out[absentKey] = absent
  }
  return out
}

function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return !Object.is(a, -0)
  // The only lists among the defaults are of strings.
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
  return a.every((item, i) => item === b[i])
}
