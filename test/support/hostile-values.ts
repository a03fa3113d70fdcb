// Values for requests: hostile ones, and ones that fit a schema of the OpenAPI document.

import fc from "fast-check"

export interface ParameterSchema {
  readonly type?: string
  readonly pattern?: string
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly string[]
  readonly anyOf?: readonly { readonly const: string; readonly pattern?: string }[]
}
export const hostile = fc.oneof(
  fc.constantFrom("0", "3", "-1", "999999999999999", "9999999999999999", "1e3", "asc", "", "null", "test", "0x"),
  fc.constantFrom("2024-02-27T00:00:00Z", "0000-01-01T00:00:00Z", "2016-12-31T23:59:60Z", "9999-12-31T23:59:59+23:59"),
  fc.constantFrom("' or 1=1 --", "\u0000", "%00", "../../etc", "💥", "AAAAAAAAAAAAAAAAAAAAAAAAAAAA", "9".repeat(78)),
  fc.constantFrom("9".repeat(79), `0x${"01".repeat(20)}`, `0x${"00".repeat(32)}`, "csv"),
  fc.string({ maxLength: 40, unit: "binary" }),
)

/** Of the store, so that some requests find something. */
const known = [
  `0x${"01".repeat(20)}`,
  `0x${"C0".repeat(20)}`,
  `0x${"c4".repeat(20)}`,
  `0x${"ab".repeat(32)}`,
  "3",
  "1",
]

const filters = ["block_height:3", `contract_address:0x${"c0".repeat(20)}`, `address:0x${"01".repeat(20)}`]

export function fitting({
  type,
  pattern,
  format,
  minimum,
  maximum,
  enum: names,
  anyOf,
}: ParameterSchema): fc.Arbitrary<string> {
  if (pattern) {
    const fits = known.filter((one) => new RegExp(pattern).test(one))
    const drawn = fc.stringMatching(new RegExp(pattern))
    return fits.length > 0 ? fc.oneof(drawn, fc.constantFrom(...fits)) : drawn
  }
  // Once, though it may be given several times.
  if (anyOf?.[0]?.pattern) return fc.oneof(fitting({ pattern: anyOf[0].pattern }), fc.constantFrom(...filters))
  if (names ?? anyOf) return fc.constantFrom(...(names ?? anyOf!.map((one) => one.const)))
  if (type === "integer") return fc.integer({ min: minimum ?? 0, max: maximum ?? 1_000 }).map(String)
  if (format === "date-time") return fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
  return hostile
}

/** A lone surrogate cannot be sent. */
export const encoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString())
