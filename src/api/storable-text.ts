// Text that Postgres can keep: no NUL, which `text` refuses, and no half of a surrogate pair, which `jsonb` refuses.

/** The path of the first text in a parsed JSON value that cannot be kept, such as `body.reason`. */
export function unstorableText(value: unknown, path = "body"): string | undefined {
  if (typeof value === "string") return value.includes("\0") || /\p{Surrogate}/u.test(value) ? path : undefined
  if (typeof value !== "object" || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    if (unstorableText(name) !== undefined) return path
    const found = unstorableText(member, `${path}.${name}`)
    if (found !== undefined) return found
  }
  return undefined
}
