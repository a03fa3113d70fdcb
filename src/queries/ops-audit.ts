// What people did to a chain, newest first, from the logs of both databases.

import { Type } from "typebox"
import { scrubFields } from "../platform/scrub.js"
import type { Store } from "./answer-scope.js"
import type { OpsList } from "./ops-list.js"
import { readTwoStores } from "./two-store-page.js"
import { jsonRow, time } from "./value-schemas.js"

const micros = "floor(extract(epoch from at) * 1000000)::int8"

const auditSql = (store: Store): string =>
  `select id::float8 as id, at, '${store}' as store, actor, action, details, ${micros}::float8 as micros
   from ${store}.audit_log
   where ($1::text is null or action = $1) and ($2::text is null or actor = $2)
     and ($3::int8 is null or (${micros}, '${store}'::text collate "C", id) < ($3, $4, $5::int8))
   order by ${micros} desc, id desc limit $6`
const sqlOf = { raw: auditSql("raw"), app: auditSql("app") }

interface AuditLine extends Record<string, unknown> {
  readonly id: number
  readonly store: Store
  readonly details: Record<string, unknown>
  readonly micros: number
}

export const opsAudit: OpsList = {
  path: "/audit",
  summary: "What people did, newest first",
  query: {
    action: Type.Optional(Type.String({ pattern: "^[a-z_ ]{1,40}$" })),
    actor: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  },
  row: {
    id: Type.Integer(),
    store: Type.Enum(["raw", "app"]),
    at: time,
    actor: Type.String(),
    action: Type.String(),
    details: Type.Object({}, { additionalProperties: true }),
  },
  read: (chain, { values: { action, actor }, limit, after: [at, store, id] = [] }) =>
    readTwoStores(chain, { limit, order: "desc" }, async (tx, own, most) => {
      const given = [action, actor, at, store, id].map((one) => one ?? null)
      const { rows } = await tx.query<AuditLine>(sqlOf[own], [...given, most])
      return rows.map(({ micros: key, ...row }) => ({
        key: [key, row.store, row.id],
        row: jsonRow({ ...row, details: scrubFields(row.details) }),
      }))
    }),
}
