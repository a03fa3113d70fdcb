// JSON without loss: numbers that a double would change keep their source text and are written verbatim. Used only
// where such a number occurs; the ordinary path is JSON.parse.

/** A number as its source text. */
export class ExactNumber {
  constructor(readonly source: string) {}
}

/** True when JSON.stringify may write this number differently from its source. */
export const isInexact = (value: number): boolean => !Number.isSafeInteger(value) || Object.is(value, -0)

/** True when the value, at any depth, holds a number that JSON.parse may have changed. */
export function holdsInexact(value: unknown): boolean {
  if (typeof value === "number") return isInexact(value)
  if (typeof value !== "object" || value === null) return false
  if (Array.isArray(value)) return value.some(holdsInexact)
  for (const key in value) if (holdsInexact((value as Record<string, unknown>)[key])) return true
  return false
}

/** As JSON.parse does: "__proto__" becomes an own property. */
export function setOwn(into: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") into[key] = value
  else Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true })
}

export function stringifyExact(value: unknown): string {
  if (value instanceof ExactNumber) return value.source
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(stringifyExact).join(",")}]`
  const parts = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${stringifyExact(item)}`)
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
        setOwn(out, key, value())
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
