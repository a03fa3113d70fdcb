// What of a page lives in its address: where in a list one is, which part is shown, what was searched for.

export interface Paging {
  readonly cursor?: string | undefined
}
export interface Parts extends Paging {
  readonly tab?: string | undefined
}

/** Heights `[from, to)` of the console's map, and the row and height that were opened there. */
export interface Place {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly worker?: string | undefined
  readonly height?: string | undefined
}
/** Of the console's lists. */
export interface Filters extends Parts, Place {
  readonly status?: string | undefined
  readonly code?: string | undefined
  readonly fault?: string | undefined
  readonly severity?: string | undefined
  readonly resolved?: string | undefined
  readonly action?: string | undefined
  readonly actor?: string | undefined
  readonly table?: string | undefined
}

type Given = Record<string, unknown>

const textOf = (given: Given, name: string): Record<string, string> => {
  const value = given[name]
  // The router reads digits as a number, and two words as what they mean.
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value
  return typeof text === "string" && text !== "" ? { [name]: text } : {}
}

export const readPaging = (given: Given): Paging => textOf(given, "cursor")
export const readParts = (given: Given): Parts => ({ ...textOf(given, "cursor"), ...textOf(given, "tab") })
export const readQuery = (given: Given): { readonly q?: string } => textOf(given, "q")

const readAll = (given: Given, names: readonly string[]): Record<string, string> =>
  Object.assign({}, ...names.map((name) => textOf(given, name)))
const placeNames = "from to worker height".split(" ")
export const readPlace = (given: Given): Place => readAll(given, placeNames)
const filterNames = [...placeNames, ..."status code fault severity resolved action actor table tab cursor".split(" ")]
export const readFilters = (given: Given): Filters => readAll(given, filterNames)
