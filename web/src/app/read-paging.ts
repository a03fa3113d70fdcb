// What of a page lives in its address: where in a list one is, which part is shown, what was searched for.

export interface Paging {
  readonly cursor?: string | undefined
}
export interface Parts extends Paging {
  readonly tab?: string | undefined
}

type Given = Record<string, unknown>

const textOf = (given: Given, name: string): Record<string, string> => {
  const value = given[name]
  // The router reads digits as a number.
  const text = typeof value === "number" ? String(value) : value
  return typeof text === "string" && text !== "" ? { [name]: text } : {}
}

export const readPaging = (given: Given): Paging => textOf(given, "cursor")
export const readParts = (given: Given): Parts => ({ ...textOf(given, "cursor"), ...textOf(given, "tab") })
export const readQuery = (given: Given): { readonly q?: string } => textOf(given, "q")
