// Unfinished leases as operators see them, and DEAD blocks grouped by what went wrong.

import { Type } from "typebox"
import { faultOf, faultText } from "../coordination/dead-fault.js"
import { scrubText } from "../platform/scrub.js"
import type { Store } from "./answer-scope.js"
import type { OpsList } from "./ops-list.js"
import { readTwoStores } from "./two-store-page.js"
import { codeParam, digits, faultParam, heightParam, orNull, wholeOrNull, workerParam } from "./value-schemas.js"

const ms = (expression: string): string => `round(extract(epoch from ${expression}) * 1000)::float8`

const leasesSql = (store: Store): string =>
  `select id::text, worker_type as worker, from_height::text as "from", to_height::text as "to", status, attempt,
     leased_by, ${ms("clock_timestamp() - leased_at")} as leased_for_ms,
     case when status = 'ACTIVE' then ${ms("lease_expires_at - clock_timestamp()")} end as expires_in_ms,
     case when status = 'FAILED' then ${ms("next_attempt_at - clock_timestamp()")} end as next_attempt_in_ms,
     last_error_code as error_code, last_error as error, ${ms("clock_timestamp() - last_error_at")} as error_age_ms
   from ${store}.worker_leases
   where status <> 'COMPLETED' and ($1::text is null or worker_type = $1) and ($2::text is null or status = $2 or ($2 = 'OPEN' and status <> 'DEAD'))
     and ($3::text is null or last_error_code = $3) and ($4::text is null or ${faultOf} = $4)
     and ($5::int8 is null or to_height > $5) and ($6::int8 is null or from_height < $6)
     and ($7::text is null or (worker_type collate "C", from_height) > ($7, $8::int8))
   order by worker_type collate "C", from_height limit $9`
const sqlOf = { raw: leasesSql("raw"), app: leasesSql("app") }

interface LeaseLine extends Record<string, unknown> {
  readonly worker: string
  readonly from: string
  readonly error: string | null
}

export const opsLeases: OpsList = {
  path: "/leases",
  summary: "Leases that are not completed, with their attempt, next try and last error",
  query: {
    worker: Type.Optional(workerParam),
    status: Type.Optional(Type.Enum(["ACTIVE", "FAILED", "DEAD", "OPEN"])),
    code: Type.Optional(codeParam),
    fault: Type.Optional(faultParam),
    from_height: Type.Optional(heightParam),
    to_height: Type.Optional(heightParam),
  },
  row: {
    id: Type.String(),
    worker: Type.String(),
    from: digits,
    to: digits,
    status: Type.Enum(["ACTIVE", "FAILED", "DEAD"]),
    attempt: Type.Integer(),
    leased_by: orNull("string"),
    leased_for_ms: wholeOrNull,
    expires_in_ms: wholeOrNull,
    next_attempt_in_ms: wholeOrNull,
    error_code: orNull("string"),
    error: orNull("string"),
    error_age_ms: wholeOrNull,
  },
  read: (chain, { values, limit, after: [name, from] = [] }) =>
    readTwoStores(chain, { limit, order: "asc" }, async (tx, store, most) => {
      const { worker, status, code, fault, from_height, to_height } = values
      const given = [worker, status, code, fault, from_height, to_height, name, from].map((one) => one ?? null)
      const { rows } = await tx.query<LeaseLine>(sqlOf[store], [...given, most])
      return rows.map((row) => ({
        key: [row.worker, Number(row.from)],
        row: { ...row, error: row.error === null ? null : scrubText(row.error) },
      }))
    }),
}

const groupsSql = (store: Store): string =>
  `with dead as (
     select worker_type collate "C" as worker, coalesce(last_error_code, 'BUG') collate "C" as error_code,
       ${faultText} as error, ${faultOf} as fault, from_height, attempt, last_error_at
     from ${store}.worker_leases where status = 'DEAD' and ($1::text is null or worker_type = $1)
   )
   select worker, error_code, error, fault, count(*)::int4 as blocks,
     min(from_height)::text as first_height, max(from_height)::text as last_height, max(attempt)::int4 as attempts,
     ${ms("clock_timestamp() - max(last_error_at)")} as newest_age_ms
   from dead group by worker, error_code, error, fault
   having $2::text is null or (worker, error_code, fault collate "C") > ($2, $3, $4)
   order by worker, error_code, fault collate "C" limit $5`
const groupsSqlOf = { raw: groupsSql("raw"), app: groupsSql("app") }

export const opsDeadGroups: OpsList = {
  path: "/leases/dead",
  summary: "DEAD blocks grouped by worker and error",
  query: { worker: Type.Optional(workerParam) },
  row: {
    worker: Type.String(),
    error_code: Type.String(),
    error: Type.String(),
    fault: Type.String(),
    blocks: Type.Integer(),
    first_height: digits,
    last_height: digits,
    attempts: Type.Integer(),
    newest_age_ms: wholeOrNull,
  },
  read: (chain, { values: { worker }, limit, after: [name, code, fault] = [] }) =>
    readTwoStores(chain, { limit, order: "asc" }, async (tx, store, most) => {
      const given = [worker, name, code, fault].map((one) => one ?? null)
      const { rows } = await tx.query<Record<"worker" | "error_code" | "error" | "fault", string>>(
        groupsSqlOf[store],
        [...given, most],
      )
      return rows.map((row) => ({
        key: [row.worker, row.error_code, row.fault],
        row: { ...row, error: scrubText(row.error) },
      }))
    }),
}
