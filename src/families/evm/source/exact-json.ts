// JSON without loss: numbers that a double would change keep their source text and are written back verbatim.
// Used only where such a number was seen; the ordinary path is JSON.parse.

/** A number as it stood in the source. */
export class ExactNumber {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

/** True when JSON.stringify would write this number differently from some source that parses to it. */
export const isInexact = (value: number): boolean => !Number.isSafeInteger(value) || Object.is(value, -0)

/** True when the value, at any depth, holds a number that may have been changed by JSON.parse. */
export function holdsInexact(value: unknown): boolean {
  if (typeof value === "number") return isInexact(value)
  if (typeof value !== "object" || value === null) return false
  if (Array.isArray(value)) return value.some(holdsInexact)
  for (const key in value) if (holdsInexact((value as Record<string, unknown>)[key])) return true
  return false
}

export function stringifyExact(value: unknown): string {
  if (value instanceof ExactNumber) return value.source
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(stringifyExact).join(",")}]`
  const parts: string[] = []
  for (const key of Object.keys(value)) {
    parts.push(`${JSON.stringify(key)}:${stringifyExact((value as Record<string, unknown>)[key])}`)
  }
  return `{${parts.join(",")}}`
}

/** Throws SyntaxError. Nesting is bounded by the same call stack as JSON.parse of the source, which came first. */
export function parseExactJson(text: string): unknown {
  let at = 0
  const space = () => {
    for (;;) {
      const c = text.charCodeAt(at)
      if (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) at++
      else return
    }
  }
  const wrong = () => new SyntaxError(`unexpected input at ${at}`)
  const string = (): string => {
    const start = at++
    for (;;) {
      const c = text.charCodeAt(at)
      if (Number.isNaN(c)) throw wrong()
      if (c === 0x22) break
      at += c === 0x5c ? 2 : 1
    }
    at++
    return JSON.parse(text.slice(start, at)) as string
  }
  const scalar = (): unknown => {
    const start = at
    while (at < text.length && !",]} \n\r\t".includes(text[at]!)) at++
    const source = text.slice(start, at)
    const value: unknown = JSON.parse(source)
    return typeof value === "number" && isInexact(value) ? new ExactNumber(source) : value
  }
  const value = (): unknown => {
    space()
    const c = text.charCodeAt(at)
    if (c === 0x22) return string()
    if (c === 0x5b) {
      const out: unknown[] = []
      at++
      space()
      if (text.charCodeAt(at) === 0x5d) {
        at++
        return out
      }
      for (;;) {
        out.push(value())
        space()
        const next = text.charCodeAt(at++)
        if (next === 0x5d) return out
        if (next !== 0x2c) throw wrong()
      }
    }
    if (c === 0x7b) {
      const out: Record<string, unknown> = {}
      at++
      space()
      if (text.charCodeAt(at) === 0x7d) {
        at++
        return out
      }
      for (;;) {
        space()
        if (text.charCodeAt(at) !== 0x22) throw wrong()
        const key = string()
        space()
        if (text.charCodeAt(at++) !== 0x3a) throw wrong()
        // As JSON.parse: "__proto__" becomes an own property.
        Object.defineProperty(out, key, {
          value: value(),
          enumerable: true,
          configurable: true,
          writable: true,
        })
        space()
        const next = text.charCodeAt(at++)
        if (next === 0x7d) return out
        if (next !== 0x2c) throw wrong()
      }
    }
    return scalar()
  }
  const out = value()
  space()
  if (at !== text.length) throw wrong()
  return out
}
