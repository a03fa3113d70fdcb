// What nodes were asked beside the blocks was asked at a block, and that block has to be stored (I4).

import type { StoreProbe } from "../../test/support/store-probe.js"

interface Observed {
  readonly table: string
  readonly height: number
  readonly hash: string
}

type Store = Pick<StoreProbe, "rows">

const observedSql = ["app.token_metadata", "app.contract_code_hashes"]
  .map(
    (table) =>
      `select distinct '${table}' as table, asked_at_height::float8 as height, encode(block_hash, 'hex') as hash
       from ${table}`,
  )
  .join("\nunion all ")

/** Made at blocks that raw does not have. App is read first: raw may have more by then, never less, as long as nothing is rolled back. */
export async function foreignObservations({ raw, app }: { raw: Store; app: Store }): Promise<Observed[]> {
  const observed = await app.rows<Observed>(`${observedSql} order by 1, 2`)
  const stored = await raw.rows<{ hash: string }>(
    "select height || ' ' || encode(hash, 'hex') as hash from raw.blocks where height = any ($1::int8[])",
    [observed.map(({ height }) => height)],
  )
  const known = new Set(stored.map(({ hash }) => hash))
  return observed.filter(({ height, hash }) => !known.has(`${height} ${hash}`))
}
