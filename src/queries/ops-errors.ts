// What went wrong with blocks, newest first: one row for each distinct fault of a block.

import { Type } from "typebox"
import { scrubText } from "../platform/scrub.js"
import type { Store } from "./answer-scope.js"
import type { OpsList } from "./ops-list.js"
import { readTwoStores } from "./two-store-page.js"
import { digits, heightParam, jsonRow, orNull, time, workerParam } from "./value-schemas.js"

const micros = "floor(extract(epoch from created_at) * 1000000)::int8"

// By the time of the first sight, which never changes: pages do not shift while errors are seen again.
const errorsSql = (store: Store): string =>
  `select worker_name as worker, block_height::text as height, '0x' || encode(transaction_id, 'hex') as transaction_id,
     severity, error_message as message, seen::float8 as seen, resolved, raw_data, raw_ref,
     created_at as first_seen_at, updated_at as last_seen_at, encode(error_hash, 'hex') as fault,
     ${micros}::float8 as at
   from ${store}.indexing_errors
   where ($1::text is null or worker_name = $1) and ($2::boolean is null or resolved = $2)
     and ($3::text is null or severity = $3) and ($4::int8 is null or block_height = $4)
     and ($5::int8 is null or (${micros}, worker_name collate "C", block_height, encode(error_hash, 'hex') collate "C",
       coalesce(encode(transaction_id, 'hex'), '') collate "C") < ($5, $6, $7::int8, $8, $9))
   order by ${micros} desc, worker_name collate "C" desc, block_height desc, encode(error_hash, 'hex') collate "C" desc,
     coalesce(encode(transaction_id, 'hex'), '') collate "C" desc
   limit $10`
const sqlOf = { raw: errorsSql("raw"), app: errorsSql("app") }

interface ErrorLine extends Record<string, unknown> {
  readonly worker: string
  readonly height: string
  readonly transaction_id: string | null
  readonly message: string
  readonly raw_data: Buffer | null
  readonly fault: string
  readonly at: number
}

export const opsErrors: OpsList = {
  path: "/errors",
  summary: "Errors of blocks, newest first",
  query: {
    worker: Type.Optional(workerParam),
    resolved: Type.Optional(Type.Enum(["true", "false"])),
    severity: Type.Optional(Type.Enum(["WARN", "FATAL"])),
    height: Type.Optional(heightParam),
  },
  row: {
    worker: Type.String(),
    height: digits,
    transaction_id: orNull("string"),
    severity: Type.Enum(["WARN", "FATAL"]),
    message: Type.String(),
    seen: Type.Integer(),
    resolved: Type.Boolean(),
    raw_data: orNull("string"),
    raw_ref: orNull("string"),
    first_seen_at: time,
    last_seen_at: time,
  },
  read: (chain, { values: { worker, resolved, severity, height }, limit, after = [] }) =>
    readTwoStores(chain, { limit, order: "desc" }, async (tx, store, most) => {
      const key = [0, 1, 2, 3, 4].map((at) => after[at])
      const given = [worker, resolved, severity, height, ...key].map((one) => one ?? null)
      const { rows } = await tx.query<ErrorLine>(sqlOf[store], [...given, most])
      return rows.map(({ fault, at, ...row }) => ({
        key: [at, row.worker, Number(row.height), fault, row.transaction_id?.slice(2) ?? ""],
        row: jsonRow({ ...row, message: scrubText(row.message) }),
      }))
    }),
}
