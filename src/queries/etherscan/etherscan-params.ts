// The parameters of a request in the format of Etherscan. Clients spell them in several ways: startblock, startBlock and
// start_block are one.

import { EtherscanError } from "./etherscan-error.js"

/** Clients split their requests when they read this. */
const windowMessage = "Result window is too large, PageNo x Offset size must be less than or equal to 10000"
const window = 10_000

export interface PageWindow {
  readonly skip: number
  readonly take: number
}

const normalized = (name: string): string => name.toLowerCase().replaceAll("_", "")

export class EtherscanParams {
  private readonly values = new Map<string, string>()

  /** Later ones win. Only texts and numbers count. */
  constructor(...given: readonly unknown[]) {
    for (const [name, value] of given.flatMap((one) => Object.entries((one ?? {}) as object))) {
      const single: unknown = Array.isArray(value) ? value[0] : value
      if (typeof single === "string" || typeof single === "number")
        this.values.set(normalized(name), `${single}`.trim())
    }
  }

  /** Undefined for an empty text too. */
  text(name: string): string | undefined {
    return this.values.get(normalized(name)) || undefined
  }

  required(name: string): string {
    const value = this.text(name)
    if (value === undefined) throw new EtherscanError(`Error! Missing ${name}`)
    return value
  }

  optionalAddress(name: string): Buffer | undefined {
    const value = this.text(name)
    return value === undefined ? undefined : hexOf(value, 20, "Error! Invalid address format")
  }

  address(name: string): Buffer {
    return hexOf(this.required(name), 20, "Error! Invalid address format")
  }

  /** At most `most` of them, separated by commas. */
  addresses(name: string, most: number): readonly Buffer[] {
    const all = this.required(name).split(",")
    if (all.length > most) throw new EtherscanError(`Error! Maximum of ${most} addresses`)
    return all.map((one) => hexOf(one.trim(), 20, "Error! Invalid address format"))
  }

  hash(name: string): Buffer {
    return hexOf(this.required(name), 32, "Error! Invalid transaction hash format")
  }

  optionalHash(name: string): Buffer | undefined {
    const value = this.text(name)
    return value === undefined ? undefined : hexOf(value, 32, `Error! Invalid ${name} format`)
  }

  integer(name: string): number | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    if (!/^(\d{1,15}|0x[0-9a-fA-F]{1,12})$/.test(value)) throw new EtherscanError(`Error! Invalid ${name}`)
    return Number(value)
  }

  /** A height; undefined for the newest block. */
  height(name: string): number | undefined {
    return this.text(name)?.toLowerCase() === "latest" ? undefined : this.integer(name)
  }

  get isDescending(): boolean {
    const sort = this.text("sort")?.toLowerCase() ?? "asc"
    if (sort !== "asc" && sort !== "desc") throw new EtherscanError("Error! Invalid sort: asc or desc")
    return sort === "desc"
  }

  /** The client accepts an answer that is not complete. */
  get isPartialAccepted(): boolean {
    return this.text("partial")?.toLowerCase() === "true"
  }

  /** Page 0 is page 1. */
  page({ size = window, most = window }: { readonly size?: number; readonly most?: number } = {}): PageWindow {
    const page = Math.max(1, this.integer("page") ?? 1)
    const offset = Math.min(most, Math.max(1, this.integer("offset") || size))
    if (page * offset > window) throw new EtherscanError(windowMessage)
    return { skip: (page - 1) * offset, take: offset }
  }
}

function hexOf(text: string, bytes: number, refusal: string): Buffer {
  if (text.length !== 2 + 2 * bytes || !/^0[xX][0-9a-fA-F]*$/.test(text)) throw new EtherscanError(refusal)
  return Buffer.from(text.slice(2), "hex")
}
