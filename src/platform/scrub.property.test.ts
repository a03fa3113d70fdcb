import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createLogger } from "./create-logger.js"
import { scrubText } from "./scrub.js"

/** As providers and people choose them, with a mark that no other part of a line has. */
const secret = fc
  .string({ unit: fc.constantFrom(..."abcXYZ0189-_.~$!*+%@/"), minLength: 6, maxLength: 40 })
  .map((text) => `zq${text.replaceAll("/", "w")}zq`)
const secretWithSlash = fc
  .string({ unit: fc.constantFrom(..."abcXYZ0189-_.~@/:#?"), minLength: 6, maxLength: 40 })
  .map((text) => `zq${text}zq`)

/** Texts that contain a secret, as in messages and fields. */
const places: Record<string, (secret: string) => string> = {
  "a password of a database": (s) => `cannot reach postgres://user:${s}@db.example:5432/tide, trying again`,
  "a query of a database": (s) => `postgresql://db.example/tide?password=${s}`,
  "a path of an RPC URL": (s) => `request to https://rpc.example/v3/${s} failed`,
  "a query of an RPC URL": (s) => `(wss://rpc.example:8546/?key=${s})`,
  "a user of an RPC URL": (s) => `https://${s}@rpc.example/`,
  "a password of an RPC URL": (s) => `"http://user:${s}@rpc.example"`,
  "a second URL of a list": (s) => `https://a.example/v3/x,https://b.example/v3/${s}`,
  "a fragment": (s) => `https://rpc.example#${s}`,
  "a bearer token": (s) => `Authorization: Bearer ${s}`,
  "a bearer token in JSON": (s) => JSON.stringify({ headers: { authorization: `Bearer ${s}` } }),
  "an assignment": (s) => `password=${s} was refused`,
  "an assignment in JSON": (s) => JSON.stringify({ apiKey: s, other: 1 }),
}

describe("scrubbing", () => {
  for (const [place, textWith] of Object.entries(places)) {
    test(`${place} never appears, in any position`, () => {
      const secrets = place.includes("of a") && place.includes("password") ? secretWithSlash : secret
      fc.assert(
        fc.property(secrets, fc.constantFrom<"json" | "pretty">("json", "pretty"), (value, format) => {
          const text = textWith(value)
          const out: string[] = []
          const logger = createLogger({ level: "debug", format, write: (line) => out.push(line) })
          logger.info({}, text)
          logger.info({ text, list: [{ text }], [text]: 1 }, "fields")
          logger.error({ error: new Error(text, { cause: new Error(text) }) }, "error")
          logger.child({ bound: text }).warn({ url: text, set: new Set([text]) }, "child")
          expect(out.join("")).not.toContain(value)
          expect(out.join("")).not.toContain(JSON.stringify(value).slice(1, -1))
        }),
        { numRuns: 60 },
      )
    })
  }

  test("a field named like a secret never shows its value", () => {
    const secretNames = ["password", "dbPassword", "ADMIN_TOKEN", "apiKey", "api-key", "clientSecret"]
    const names = fc.constantFrom(...secretNames)
    fc.assert(
      fc.property(names, fc.string({ minLength: 8 }), (name, text) => {
        const value = `zq${text}`
        const out: string[] = []
        const logger = createLogger({ level: "debug", format: "json", write: (line) => out.push(line) })
        logger.info({ [name]: value, deep: { list: [{ [name]: value }] } }, "fields")
        expect(JSON.parse(out[0]!)).toMatchObject({ [name]: "***", deep: { list: [{ [name]: "***" }] } })
      }),
      { numRuns: 100 },
    )
  })

  test("no part of an unencoded password is mistaken for a host or a name", () => {
    expect(scrubText("postgres://tide:p@ss/w@rd@db:5432/raw")).toBe("postgres://tide:***@db:5432/raw")
    expect(scrubText("https://user:12/34@rpc.example/")).toBe("https://…")
    expect(scrubText("https://user:p@ss@rpc.example/v3")).toBe("https://rpc.example/…")
  })

  test("other text stays readable", () => {
    expect(scrubText("postgres://tide:pw@db:5432/raw")).toBe("postgres://tide:***@db:5432/raw")
    expect(scrubText("at https://rpc.example/v3/KEY, again")).toBe("at https://rpc.example/…, again")
    expect(scrubText("(http://127.0.0.1:8080)")).toBe("(http://127.0.0.1:8080)")
    expect(scrubText("http://[::1]:8080/ 12:30")).toBe("http://[::1]:8080/ 12:30")
    expect(scrubText("range [1, 2) failed: 0xab/cd")).toBe("range [1, 2) failed: 0xab/cd")
  })
})
