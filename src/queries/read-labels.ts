// Names that operators gave to addresses.

import type { Queryable } from "../postgres/transaction.js"

export interface StoredLabel {
  readonly address: Buffer
  readonly label: string
  readonly createdBy: string
  readonly updatedAt: Date
}

const listSql = `select address, label, created_by as "createdBy", updated_at as "updatedAt"
  from app.address_labels where address > $1 order by address limit $2`

/** In the order of their addresses, those behind `after`. */
export async function listLabels(
  app: Queryable,
  { after, limit }: { readonly after: Buffer; readonly limit: number },
): Promise<readonly StoredLabel[]> {
  const { rows } = await app.query<StoredLabel & Record<string, unknown>>(listSql, [after, limit])
  return rows
}
