// Removes secrets from text and fields before they are shown: passwords in URLs, keys in RPC paths, bearer tokens, and
// fields named like a secret. It hides too much rather than too little. The result is plain data for any serializer.

const hidden = "***"

/** The value of a field is never shown when its name, without dashes and underscores, ends like this. */
const secretField =
  /(password|passwd|passphrase|secret|token|apikey|accesskey|privatekey|authorization|mnemonic|cookie|rpcheaders)$/

/** A URL, up to white space, a quote or a bracket that no URL contains. */
const urlPattern = /\b([a-z][a-z0-9+.-]*):\/\/([^\s"'`<>\\^{}|]*)/gi
/** Punctuation after a URL, which is kept. */
const trailingMarks = /[),.;:\]]*$/
const bearerPattern = /\b(bearer|basic)(\s+)[^\s"',;]+/gi
/** `password=x`, `"apiKey": "x"`, `secret: x` inside a text. */
const assignedName =
  /(?:password|passwd|passphrase|secret|token|(?:api|access|private)[-_]?key|authorization|mnemonic|cookie)/
const assignedValue = /(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s"',;&]+)/
const assignmentPattern = new RegExp(`(${assignedName.source}["']?\\s*[=:]\\s*)${assignedValue.source}`, "gi")

const maxDepth = 6
const maxItems = 100
const maxTextLength = 8_192

export function scrubText(text: string): string {
  return (
    shorten(text)
      .replace(urlPattern, (_all, scheme: string, rest: string) => scrubUrl(scheme, rest))
      // Before assignments: "Authorization: Bearer x" is both, and its value is the second word.
      .replace(bearerPattern, `$1$2${hidden}`)
      .replace(assignmentPattern, `$1${hidden}`)
  )
}

function scrubUrl(scheme: string, rest: string): string {
  // The location of code, in every stack.
  if (scheme === "file" && rest.startsWith("/")) return `${scheme}://${rest}`
  const marks = trailingMarks.exec(rest)![0]
  const body = rest.slice(0, rest.length - marks.length)
  const shown = /^postgres(ql)?$/i.test(scheme) ? postgresPart(body) : originPart(body)
  return `${scheme}://${shown}${marks}`
}

/** user:***@host:port/name. A password may contain an unencoded "@" or "/", so the last "@" counts. */
function postgresPart(body: string): string {
  const at = body.lastIndexOf("@")
  const address = at < 0 ? body : body.slice(at + 1)
  const place = address.split(/[?#]/, 1)[0]!
  const query = place.length < address.length ? "?…" : ""
  if (at < 0) return `${place}${query}`
  const user = body.slice(0, at)
  const colon = user.indexOf(":")
  return `${colon < 0 ? user : `${user.slice(0, colon)}:${hidden}`}@${place}${query}`
}

/** host:port only: the key of an RPC provider is its path, its query or its user. */
function originPart(body: string): string {
  const end = body.search(/[/?#]/)
  const authority = end < 0 ? body : body.slice(0, end)
  const rest = end < 0 ? "" : body.slice(end)
  const host = authority.slice(authority.lastIndexOf("@") + 1)
  // With an "@" later on, the host may be part of an unencoded password.
  if (rest.includes("@") || !/^(\[[0-9a-f:.]+\]|[\w.-]+)(:\d+)?$/i.test(host)) return "…"
  return rest === "" || rest === "/" ? `${host}${rest}` : `${host}/…`
}

/** Plain data of the same shape: errors as messages, big integers as text, without cycles and deep levels. */
export function scrubFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return scrubRecord(fields, 0, new Set())
}

function scrubRecord(value: object, depth: number, above: Set<object>): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value).slice(0, maxItems)) {
    if (item === undefined || typeof item === "function" || typeof item === "symbol") continue
    const name = scrubText(key)
    out[name] = isSecretField(key) && item !== null ? hidden : scrubValue(item, depth + 1, above)
  }
  return out
}

const isSecretField = (name: string): boolean => secretField.test(name.toLowerCase().replace(/[-_\s]/g, ""))

function scrubValue(value: unknown, depth: number, above: Set<object>): unknown {
  if (typeof value === "string") return scrubText(value)
  if (typeof value === "bigint") return value.toString()
  if (typeof value === "number" && !Number.isFinite(value)) return String(value)
  if (typeof value !== "object" || value === null) return value
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString()
  if (value instanceof URL) return scrubText(value.href)
  if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`
  if (depth > maxDepth || above.has(value)) return "…"
  const within = new Set(above).add(value)
  if (Array.isArray(value)) {
    return value.slice(0, maxItems).map((item) => scrubValue(item, depth + 1, within))
  }
  if (value instanceof Error) return scrubError(value, depth, within)
  if (value instanceof Map || value instanceof Set) return scrubValue([...value], depth, within)
  return scrubRecord(value, depth, within)
}

function scrubError(error: Error, depth: number, above: Set<object>): Record<string, unknown> {
  const { name, message, stack, cause } = error
  const { code } = error as { code?: unknown }
  return {
    name: scrubText(String(name)),
    message: scrubText(String(message)),
    ...(typeof code === "string" ? { code: scrubText(code) } : {}),
    ...(stack ? { stack: scrubText(stack) } : {}),
    ...(cause === undefined ? {} : { cause: scrubValue(cause, depth + 1, above) }),
  }
}

/** Cut between words, so that no part of a secret remains that the patterns miss. */
function shorten(text: string): string {
  if (text.length <= maxTextLength) return text
  const cut = text.slice(0, maxTextLength)
  return `${cut.slice(0, Math.max(cut.search(/\s\S*$/), 0))} …`
}
