// What of a list lives in its address.

export interface Paging {
  readonly cursor?: string | undefined
}

export const readPaging = ({ cursor }: Record<string, unknown>): Paging =>
  typeof cursor === "string" && cursor !== "" ? { cursor } : {}
