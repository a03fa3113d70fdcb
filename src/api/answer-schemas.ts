// The shapes that answers of the data API share.

import { type TProperties, type TSchema, Type } from "typebox"
import type { ListResource } from "../queries/resource.js"
import { digits, hashParam, heightParam, orNull, time } from "../queries/value-schemas.js"

const range = Type.Object({ from: digits, to: digits })

const meta = Type.Object({
  chain: Type.String(),
  data_watermark: orNull("string"),
  coverage: Type.Array(range),
  gaps: Type.Array(range),
  partial: Type.Boolean(),
  required_workers: Type.Array(Type.String()),
  next_cursor: orNull("string"),
  total: Type.Optional(digits),
})

export const problemSchema = Type.Object({
  error: Type.Object({
    code: Type.String(),
    message: Type.String(),
    details: Type.Object({}, { additionalProperties: true }),
  }),
})

export const rowSchema = ({ columns, extension }: Pick<ListResource, "columns" | "extension">): TSchema =>
  Type.Object({
    ...Object.fromEntries(Object.entries(columns).map(([name, { schema }]) => [name, schema])),
    ...extension?.schema,
  })

export const answerSchema = (data: TSchema): TSchema => Type.Object({ data, meta })

const problems = (...statuses: readonly number[]) =>
  Object.fromEntries(statuses.map((status) => [status, { description: reasons[status]!, ...problemSchema }]))

const reasons: Readonly<Record<number, string>> = {
  400: "A parameter is not valid, or the cursor is not of this list",
  401: "The API key is not known",
  404: "There is no such chain or thing in what is covered",
  409: "Blocks below the cursor were rolled back",
  422: "The answer would take too long: ask for less",
  429: "Too many requests",
  503: "A database cannot be reached, or a rollback is being finished",
  504: "The asked block was not reached in time",
}

export const responses = (data: TSchema) => ({
  200: { description: "The answer", ...data },
  ...problems(400, 401, 404, 409, 422, 429, 503, 504),
})

/** Of a list, which may be asked for as a file. */
export const listResponses = (data: TSchema) => ({
  ...responses(data),
  200: {
    description: "The answer",
    content: { "application/json": { schema: data }, "text/csv": { schema: { type: "string" } } },
  },
})

export const params = (own: TProperties = {}): TSchema =>
  Type.Object({ chain: Type.String({ pattern: "^[a-z][a-z0-9-]{0,30}$" }), ...own }, { additionalProperties: false })

const waiting: TProperties = {
  min_height: Type.Optional({ ...heightParam, description: "Waits until this height is covered, at most 30 s" }),
  min_block_hash: Type.Optional({ ...hashParam, description: "The same for a block by its hash" }),
}

export const detailQuery = (own: TProperties = {}): TSchema =>
  Type.Object({ ...own, ...waiting }, { additionalProperties: false })

export const listQuery = ({ height, query = {}, sorts }: Pick<ListResource, "height" | "query" | "sorts">): TSchema =>
  Type.Object(
    {
      ...query,
      ...waiting,
      ...(height
        ? {
            from_height: Type.Optional(heightParam),
            to_height: Type.Optional({ ...heightParam, description: "Not included" }),
            from_time: Type.Optional(time),
            to_time: Type.Optional({ ...time, description: "Not included" }),
          }
        : {}),
      ...(sorts ? { sort: Type.Optional(Type.Enum(Object.keys(sorts))) } : {}),
      order: Type.Optional(Type.Union([Type.Literal("asc"), Type.Literal("desc")])),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "25 when left out" })),
      format: Type.Optional({
        ...Type.Enum(["json", "csv"]),
        description: "csv: a file with the whole list; without limit and cursor",
      }),
      cursor: Type.Optional(Type.String({ pattern: "^[A-Za-z0-9_-]{1,600}$" })),
    },
    { additionalProperties: false },
  )
