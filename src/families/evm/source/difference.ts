// The difference between the JSON a node sent and the JSON the columns give: what goes to `extra`.

import { holdsInexact } from "./exact-json.js"
import { absentKey, type Json } from "./rebuild-json.js"

/** Thrown inside decoding when a kept value has a number that JSON.parse may have changed: read exactly, then again. */
export class InexactNumber extends Error {}

/**
 * The fields of `sent` that `defaults` does not have exactly so, and under "~absent" those it has too much; undefined
 * when there is no difference. Keys in `except` are somebody else's business.
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
    const name = key.startsWith("~") ? `~${key}` : key
    if (name === "__proto__") {
      Object.defineProperty(out, name, { value, enumerable: true, configurable: true, writable: true })
    } else out[name] = value
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
