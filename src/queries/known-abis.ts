// The ABIs by which answers are decoded: those of the config, and those that operators gave, kept in memory. Whether one was
// given or removed since is asked about once a second while answers need them, and at once after an act of this process.

import type { Clock } from "../platform/clock.js"
import type { ChainAbi } from "../platform/load-config.js"
import { isMissingSchema } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"

export interface KnownAbi {
  readonly source: "given" | "config"
  readonly name: string
  readonly entries: unknown
}

/** The lists are the same objects until one of their ABIs changes. Those that were given come first. */
export interface AbisOfContract {
  readonly own: readonly KnownAbi[]
  /** For any contract. */
  readonly any: readonly KnownAbi[]
}

export interface KnownAbisOptions {
  readonly clock: Clock
  readonly configured: readonly ChainAbi[]
  readonly read: <T>(work: (tx: Queryable) => Promise<T>) => Promise<T>
}

interface Kept {
  readonly version: string
  /** Ids of the given ABIs of each contract that has any. */
  readonly idsOf: ReadonlyMap<string, readonly string[]>
  readonly any: readonly KnownAbi[]
  /** Of contracts that were asked for. */
  readonly own: Map<string, readonly KnownAbi[]>
  at: number
}

const freshMs = 1_000
const mostContracts = 500
const none: readonly KnownAbi[] = []

const versionSql =
  "select concat_ws(' ', count(*), max(id), extract(epoch from max(updated_at))) as version from app.abis"
const idsSql = `select '0x' || encode(address, 'hex') as address, array_agg(id::text order by name) as ids
  from app.abis where address is not null group by address`
const anySql = "select name, abi as entries from app.abis where address is null order by name"
const ownSql = `select '0x' || encode(address, 'hex') as address, name, abi as entries
  from app.abis where id = any($1::int8[]) order by name`

export class KnownAbis {
  #kept: Kept | undefined
  #reading: Promise<Kept> | undefined
  #forgotten = 0

  constructor(private readonly options: KnownAbisOptions) {}

  /** Addresses in lower case; null is that of no contract. */
  async of(addresses: readonly (string | null)[]): Promise<(address: string | null) => AbisOfContract> {
    const kept = await this.#fresh()
    const asked = new Set(addresses)
    const own = new Map([...kept.own].filter(([address]) => asked.has(address)))
    const missing = [...asked].filter((one) => one !== null && !own.has(one) && this.#isKnown(kept, one)) as string[]
    for (const [address, abis] of await this.#readOwn(kept, missing)) own.set(address, abis)
    return (address) => ({ own: (address === null ? undefined : own.get(address)) ?? none, any: kept.any })
  }

  /** One was given or removed. */
  forget(): void {
    this.#forgotten++
    this.#kept = undefined
    this.#reading = undefined
  }

  #isKnown({ idsOf }: Kept, address: string): boolean {
    return idsOf.has(address) || this.options.configured.some((one) => one.address === address)
  }

  async #readOwn(kept: Kept, addresses: readonly string[]): Promise<ReadonlyMap<string, readonly KnownAbi[]>> {
    const ids = addresses.flatMap((address) => kept.idsOf.get(address) ?? [])
    const rows =
      ids.length === 0
        ? []
        : await this.options.read(async (tx) => {
            type Row = { address: string; name: string; entries: unknown }
            return (await tx.query<Row>(ownSql, [ids], { isLast: true })).rows
          })
    const found = new Map(
      addresses.map((address) => {
        const given = rows.filter((row) => row.address === address)
        return [address, this.#withConfig(given, address)] as const
      }),
    )
    for (const [address, abis] of found) kept.own.set(address, abis)
    // The oldest first; an answer has its own copy.
    for (const address of kept.own.keys()) if (kept.own.size > mostContracts) kept.own.delete(address)
    return found
  }

  #withConfig(given: readonly { name: string; entries: unknown }[], address: string | null): readonly KnownAbi[] {
    const { configured } = this.options
    return [
      ...given.map(({ name, entries }) => ({ source: "given" as const, name, entries })),
      ...configured
        .filter((one) => one.address === address)
        .map(({ name, abi }) => ({ source: "config" as const, name, entries: abi })),
    ]
  }

  async #fresh(): Promise<Kept> {
    const { clock } = this.options
    if (this.#kept && clock.monotonic() - this.#kept.at < freshMs) return this.#kept
    if (this.#reading) return this.#reading
    const forgotten = this.#forgotten
    const reading = this.#readAgain().finally(() => {
      if (this.#reading === reading) this.#reading = undefined
    })
    this.#reading = reading
    const kept = await reading
    // What was read before an act may not have it.
    if (forgotten === this.#forgotten) this.#kept = kept
    return kept
  }

  async #readAgain(): Promise<Kept> {
    const { clock, read } = this.options
    const known = this.#kept
    const at = clock.monotonic()
    try {
      return await read(async (tx) => {
        const { rows } = await tx.query<{ version: string }>(versionSql)
        const { version } = rows[0]!
        if (known?.version === version) return Object.assign(known, { at })
        const { rows: owned } = await tx.query<{ address: string; ids: readonly string[] }>(idsSql)
        const { rows: any } = await tx.query<{ name: string; entries: unknown }>(anySql, [], { isLast: true })
        return {
          ...{ version, at, own: new Map(), any: this.#withConfig(any, null) },
          idsOf: new Map(owned.map(({ address, ids }) => [address, ids])),
        }
      })
    } catch (error) {
      // A store of an older release, which has none.
      if (!isMissingSchema(error)) throw error
      return { version: "none", at, own: new Map(), idsOf: new Map(), any: this.#withConfig([], null) }
    }
  }
}
