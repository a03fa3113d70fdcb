import { describe, expect, it } from "vitest"
import { IndexerError } from "../platform/errors.js"
import { assertServerVersion, heightFrom, sqlStateOf, toIndexerError } from "./postgres-error.js"

const coded = (code: string) => Object.assign(new Error("unused text"), { code })

describe("toIndexerError", () => {
  it.each([
    ["ECONNREFUSED", "DATABASE_UNREACHABLE"],
    ["ECONNRESET", "DATABASE_UNREACHABLE"],
    ["ETIMEDOUT", "DATABASE_UNREACHABLE"],
    ["EPIPE", "DATABASE_UNREACHABLE"],
    ["57P01", "DATABASE_UNREACHABLE"],
    ["57P03", "DATABASE_UNREACHABLE"],
    ["57P05", "DATABASE_UNREACHABLE"],
    ["08006", "DATABASE_UNREACHABLE"],
    ["08P01", "DATABASE_UNREACHABLE"],
    ["53300", "DATABASE_UNREACHABLE"],
    ["25006", "DATABASE_UNREACHABLE"],
    ["40001", "DATABASE_CONFLICT"],
    ["40P01", "DATABASE_CONFLICT"],
    ["55P03", "DATABASE_CONFLICT"],
    ["57014", "DATABASE_CONFLICT"],
    ["25P03", "DATABASE_CONFLICT"],
    ["53100", "DATABASE_FULL"],
    ["53200", "DATABASE_FULL"],
    ["42P01", "DATABASE_ERROR"],
    ["23505", "DATABASE_ERROR"],
  ])("%s is %s", (code, expected) => {
    expect(toIndexerError(coded(code)).code).toBe(expected)
  })

  it("the SQLSTATE is kept, and a system error code is not mistaken for one", () => {
    expect(sqlStateOf(toIndexerError(coded("42P01")))).toBe("42P01")
    expect(sqlStateOf(toIndexerError(coded("EPIPE")))).toBeUndefined()
    expect(toIndexerError(coded("EPIPE")).data).toEqual({ systemCode: "EPIPE" })
  })

  it("an error without a code is an outage only when the connection is known to be closed", () => {
    expect(toIndexerError(new Error("Connection terminated")).code).toBe("DATABASE_ERROR")
    expect(toIndexerError(new Error("x"), { connectionLost: true }).code).toBe("DATABASE_UNREACHABLE")
    expect(toIndexerError(coded("28P01"), { connectionLost: true }).code).toBe("DATABASE_ERROR")
  })

  it("an IndexerError is returned unchanged", () => {
    const error = new IndexerError("LEASE_LOST", "x")
    expect(toIndexerError(error)).toBe(error)
  })
})

describe("the server's version", () => {
  it("14 is refused, 15 is not", () => {
    expect(() => assertServerVersion("140099", "h:1/d")).toThrow(
      expect.objectContaining({ code: "DATABASE_UNSUPPORTED" }),
    )
    expect(() => assertServerVersion("150000", "h:1/d")).not.toThrow()
  })
})

describe("heightFrom", () => {
  it("reads what a double holds exactly and refuses the rest", () => {
    expect(heightFrom("9007199254740991")).toBe(Number.MAX_SAFE_INTEGER)
    for (const bad of ["9007199254740993", "", "1.5", "1e3", " 1"])
      expect(() => heightFrom(bad), bad).toThrow(RangeError)
  })
})
