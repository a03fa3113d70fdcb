// What the code base promises of itself: imports point one way, and core code takes its clock and randomness from outside.

import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { describe, expect, test } from "vitest"
import { evmRawTables } from "../src/families/evm/raw/raw-tables.js"

const root = resolve(import.meta.dirname, "..")
const source = join(root, "src")

// Left to right as data flows; a folder may import itself and what is named here.
const mayImport: Record<string, readonly string[]> = {
  domain: [],
  platform: ["domain"],
  postgres: ["domain", "platform"],
  source: ["domain", "platform"],
  "indexing-errors": ["domain", "platform", "postgres"],
  coordination: ["domain", "platform", "postgres"],
  partitions: ["domain", "platform", "postgres", "coordination"],
  raw: ["domain", "platform", "postgres", "indexing-errors", "source", "coordination", "partitions"],
  workers: ["domain", "platform", "postgres", "indexing-errors", "coordination", "partitions"],
  queries: ["domain", "platform", "postgres", "coordination", "workers"],
  families: ["domain", "platform", "postgres", "source", "coordination", "partitions", "queries", "raw", "workers"],
  rollback: ["domain", "platform", "postgres", "source", "coordination", "raw", "workers", "families"],
  verify: ["domain", "platform", "postgres", "source", "coordination", "raw", "workers", "families", "rollback"],
  status: [
    ...["domain", "platform", "postgres", "source", "indexing-errors", "coordination", "partitions", "raw"],
    "workers",
  ],
  operations: [
    ...["domain", "platform", "postgres", "indexing-errors", "coordination", "raw", "workers", "families"],
    ...["rollback", "verify", "status"],
  ],
  api: ["domain", "platform", "postgres", "coordination", "raw", "queries", "status", "operations"],
  demo: ["domain", "platform"],
  threads: ["domain", "platform", "coordination"],
  roles: [
    ...["domain", "platform", "postgres", "indexing-errors", "source", "coordination", "partitions", "raw"],
    ...["workers", "queries", "families", "rollback", "verify", "status", "operations", "api", "demo", "threads"],
  ],
  cli: [
    ...["domain", "platform", "postgres", "indexing-errors", "coordination", "raw", "workers", "verify"],
    ...["status", "operations", "api", "demo", "roles"],
  ],
  "config.ts": ["platform", "workers", "families"],
  // Types of declarations only: its code runs in browsers.
  client: ["workers"],
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    return entry.isDirectory() ? filesBelow(path) : path.endsWith(".ts") ? [path] : []
  })
}

const files = filesBelow(source).filter((path) => !path.endsWith(".test.ts"))
const room = (path: string): string => relative(source, path).split("/")[0]!

const withoutComments = (path: string): string =>
  readFileSync(path, "utf8").replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, "")

/** Files whose code matches, as paths in src. */
const having = (pattern: RegExp): string[] =>
  files.filter((path) => pattern.test(withoutComments(path))).map((path) => relative(source, path))

/** Where the real clock, timers and randomness are made; everything else is given them. */
const realOnes = [
  "client/stream-events.ts",
  "platform/clock.ts",
  "platform/create-logger.ts",
  "platform/quiet-socket.ts",
  "platform/random.ts",
]

/** Tables that a rollback leaves alone, or changes by another rule than that of heights, and why. Derived tables are undone by their declaration. */
const notOfHeights: Readonly<Record<string, string>> = {
  "raw.audit_log": "what people did stays true",
  "app.audit_log": "what people did stays true",
  "raw.chain_state": "holds the intent and the epoch themselves",
  "app.chain_state": "holds the epoch itself",
  "raw.coverage": "lowered by the ledger's uncover",
  "app.coverage": "lowered by the ledger's uncover",
  "raw.worker_leases": "cut by cut-leases.ts",
  "app.worker_leases": "cut by cut-leases.ts",
  "raw.rollbacks": "records them, for ever",
  "app.rollbacks": "records them, for ever",
  "raw.api_keys": "signs cursors, which know their epoch",
  "raw.processes": "who runs, not what is stored",
  "raw.status_series": "what was so at that time stays true",
  "raw.rate_shares": "who may ask how often, not what is stored",
  "raw.collections": "empty: for chains that are not built yet",
  "raw.execution_results": "empty: for chains that are not built yet",
  "raw.scripts": "empty: for chains that are not built yet",
  "app.search_terms": "follows app.token_metadata and app.address_labels by their triggers",
  "app.contract_code": "kept by the hash of what it holds: no rollback makes a row wrong",
  "app.job_queue": "claims that a rollback may concern are ended, and what it forgets is queued: forget-observed.ts",
  "raw.indexing_errors": "told apart by height; resolved by the range that is stored again",
  "app.indexing_errors": "told apart by height; resolved by the range that is derived again",
  "app.outbox": "what was sent stays sent: a rollback adds its own entry",
  "app.outbox_state": "the writer compares it with the rollbacks it has not seen",
  "app.abis": "given by people",
  "app.address_labels": "given by people",
  "app.workers": "declarations",
  "app.worker_tables": "declarations",
}

/** Who commits without waiting for the disk, and why nothing is wrong when that is lost. No one outside is told of any of it. */
const unflushed: Readonly<Record<string, string>> = {
  "coordination/postgres/postgres-lease-store.ts": "a claim that is lost was never made: its token fits no row",
  "coordination/postgres/postgres-chain-record.ts": "what the node says of the head is asked for again",
  "coordination/postgres/raw-coverage-copy.ts": "the copy of raw's coverage is made again",
  "rollback/finish-rollback.ts": "in one database raw's commit, which waits, brings app's with it",
  "rollback/rollback-app.ts": "as it is told by finish-rollback.ts",
  "postgres/transaction.ts": "makes the setting",
  "postgres/embedded/server-settings.ts": "turns waiting on for all others",
}

/** The SQL in a file: what stands in template literals and strings that begin like a statement. */
const statements = (path: string): string =>
  [...readFileSync(path, "utf8").matchAll(/["`](\s*(?:select|set|begin|with|update|insert)\b[^"`]*)["`]/gi)]
    .map(([, sql]) => sql)
    .join(";\n")

describe("the house", () => {
  test("every folder of src is in the table", () => {
    expect([...new Set(files.map(room))].sort()).toEqual(Object.keys(mayImport).sort())
  })

  test("the table has no cycle: each folder stands below those it may import", () => {
    const order = Object.keys(mayImport)
    const wrong = order.flatMap((from, at) =>
      mayImport[from]!.filter((to) => !order.slice(0, at).includes(to)).map((to) => `${from} > ${to}`),
    )
    expect(wrong).toEqual([])
  })

  test("imports point one way", () => {
    const wrong: string[] = []
    for (const path of files) {
      for (const [, target] of readFileSync(path, "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
        const from = room(path)
        const to = room(resolve(dirname(path), target!))
        if (to !== from && !mayImport[from]!.includes(to)) wrong.push(`${relative(root, path)} imports ${target}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test("the Postgres side of coordination is imported by composition alone, and has all its SQL", () => {
    const importing = files.filter((path) => /\/coordination\/postgres\//.test(readFileSync(path, "utf8")))
    expect([...new Set(importing.map(room))]).toEqual(["roles"])
    const own = files.filter((path) => room(path) === "coordination")
    const asking = own.filter((path) => /\.query\b/.test(withoutComments(path)))
    expect([...new Set(asking.map((path) => relative(source, dirname(path))))]).toEqual(["coordination/postgres"])
    expect(own.filter((path) => /"\.\/postgres\//.test(readFileSync(path, "utf8")))).toEqual([])
  })

  test("the tables of coordination are written in one folder", () => {
    const named = "coverage|rate_shares|chain_state|worker_leases|rollbacks|audit_log|job_queue"
    // Also by a name that was put together: what is in braces is a schema, or one of the tables.
    const table = String.raw`(\w+\.|\$\{[^}]*\}\.)?"?(${named})\b|\$\{[^}]*(coverage|chainState|leases|rollbacks|auditLog)\}`
    const writes = new RegExp(
      String.raw`\b(insert into|merge into|update|delete from|copy|truncate)\s+(only\s+)?(${table})`,
      "i",
    )
    const copies = new RegExp(String.raw`\bcopyIn(All)?\([\s\S]*["\x60](raw|app)\.(${named})["\x60]`)
    const writing = files.filter((path) => {
      const text = withoutComments(path)
      return writes.test(text) || copies.test(text)
    })
    expect([...new Set(writing.map(room))]).toEqual(["coordination"])
  })

  test("no file imports itself by way of others", () => {
    // Types too: files that name each other's types are read and changed together.
    const imports = new Map(
      files.map((path) => [
        path,
        [...readFileSync(path, "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, target]) =>
          resolve(dirname(path), target!.replace(/\.js$/, ".ts")),
        ),
      ]),
    )
    const cycles: string[] = []
    const passed = new Set<string>()
    const follow = (path: string, way: readonly string[]): void => {
      if (way.includes(path)) {
        const circle = [...way.slice(way.indexOf(path)), path]
        cycles.push(circle.map((one) => relative(source, one)).join(" > "))
      }
      if (passed.has(path)) return
      passed.add(path)
      for (const next of imports.get(path) ?? []) follow(next, [...way, path])
    }
    for (const path of files) follow(path, [])
    expect(cycles).toEqual([])
  })

  test("a chain family is named in one place, and in what users import", () => {
    const naming = files.filter(
      (path) => room(path) !== "families" && /"[^"]*\/families\/\w+\//.test(readFileSync(path, "utf8")),
    )
    expect(naming.map((path) => relative(source, path))).toEqual(["config.ts", "roles/family-of.ts"])
  })

  test("the words of a chain family are used in its folder alone, and in the demo, which runs a node of it", () => {
    const words =
      /evm|bloom|receipt|logOrder|denormalize|\bgas\b|\beth_|topic\d|json-?rpc|contract_?code|token_metadata/i
    // Etherscan's format is one of such chains by itself, and the client's types are made from the families' resources.
    const own = /^(families\/\w+\/|api\/etherscan\/|client\/api-types|demo\/|config\.ts$)/
    const speaking = files
      .filter((path) => !own.test(relative(source, path)) && words.test(withoutComments(path)))
      .map((path) => relative(source, path))
    expect(speaking).toEqual(["roles/family-of.ts"])
  })

  test("the pages know of the program what its client exports, and nothing more", () => {
    const pages = readdirSync(join(root, "web", "src"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
    const packages = /^(tidemark\/client|react|react-dom\/client|uplot|@tanstack\/react-(router|query))(\/.*\.css)?$/
    const wrong = pages.flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(/(?<!")(?:from|import)\s*\(?\s*"([^"]+)"/g)]
        .map(([, target]) => target!)
        .filter((target) =>
          target.startsWith(".")
            ? !resolve(dirname(path), target).startsWith(join(root, "web", "src"))
            : !packages.test(target),
        )
        .map((target) => `${relative(root, path)} imports ${target}`),
    )
    expect(wrong).toEqual([])
    expect(pages.filter((path) => /\/index\.tsx?$/.test(path))).toEqual([])
    const long = pages.filter((path) => readFileSync(path, "utf8").split("\n").length > 250)
    expect(long).toEqual([])
  })

  test("no file is called index", () => {
    expect(files.filter((path) => /\/index\.ts$/.test(path))).toEqual([])
  })

  test("clock, randomness and timers come from outside, but in the platform, where the real ones are made", () => {
    // Names, not calls: a function that is handed on reads the clock as well.
    const banned = new RegExp(
      [
        String.raw`\b(setTimeout|setInterval|setImmediate|performance|hrtime|uptime)\b`,
        String.raw`\b(randomUUID|randomBytes|randomInt|randomFill|randomFillSync|getRandomValues|webcrypto)\b`,
        String.raw`\b(Math\.random|AbortSignal\.timeout)\b|["'](node:)?(timers|perf_hooks)\b`,
        // A date that is made of something given is none of this.
        String.raw`\bDate\.now\b|\bnew Date\b(?!\s*\(\s*[^\s)])|\bDate\s*(\(\s*\)|\[)|=\s*(Date|Math)\b(?!\.)`,
      ].join("|"),
    )
    expect(having(banned).sort()).toEqual(realOnes)
  })

  test("locks and settings of a session are used by the embedded server's owner only, so a pooler may sit in between", () => {
    const session =
      /pg_(try_)?advisory_(un)?lock(_shared)?\s*\(|(^|;)\s*set\s+(session\s+)?(?!local)[a-z_]+_[a-z_]+\s*(=|to\b)/
    const wrong = files
      .filter((path) => !path.includes("postgres/embedded/") && session.test(statements(path)))
      .map((path) => relative(root, path))
    expect(wrong).toEqual([])
  })

  test("only what may be lost with the server is committed without waiting for the disk", () => {
    expect(having(/\bunflushed\b|synchronous_commit/).sort()).toEqual(Object.keys(unflushed).sort())
  })

  test("errors are told apart by code, never by their English text", () => {
    const text = String.raw`(\w*[mM]essage|stack|detail|hint|stderr)\b[?!]?`
    const made = String.raw`(describeError\([^)]*\)|String\(\w*([eE]rror|[cC]ause|[rR]eason)\w*\))`
    const looks = String.raw`(\s*\??\.(trim|toLowerCase|toUpperCase|toString)\(\))*\s*\??\.(includes|match|matchAll|search|startsWith|endsWith|indexOf)\(`
    const matching = new RegExp(
      [
        String.raw`\b${text}${looks}|${made}${looks}`,
        String.raw`\.(test|exec)\(\s*([\w.?!]*\b${text}|${made})`,
        String.raw`\.${text}\s*[!=]==?\s*["'\x60](?!string)|switch\s*\(\s*[\w.?!]*\.${text}\s*\)`,
      ].join("|"),
    )
    expect(having(matching)).toEqual([])
  })

  test("the project names no machine and no registry", () => {
    const here = `${dirname(root)}/`
    const named = [
      ...filesBelow(source),
      ...filesBelow(join(root, "test")),
      ...filesBelow(join(root, "proof")),
      join(root, "package-lock.json"),
    ].filter((path) => {
      const text = readFileSync(path, "utf8")
      return text.includes(here) || /"resolved": *"https?:/.test(text)
    })
    expect(named.map((path) => relative(root, path))).toEqual([])
  })

  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<
      string,
      {
        optionalDependencies?: Record<string, string>
        bin?: Record<string, string>
        os?: string[]
        optional?: boolean
      }
    >
  }

  test("no dependency takes the place of the user's Node: npm puts its programs first", () => {
    const programs = Object.values(packages).flatMap(({ bin = {} }) => Object.keys(bin))
    expect(programs).toContain("vitest")
    expect(programs.filter((name) => /^(node|npm|npx)$/.test(name))).toEqual([])
  })

  test("the lockfile has the packages of every platform, without which npm ci refuses, and each is optional", () => {
    const needed = Object.entries(packages).filter(([, { os, optional }]) => os && !optional)
    expect(needed.map(([path]) => path)).toEqual([])
    // As Node looks for a package: in each folder above, up to the root.
    const places = (path: string): string[] =>
      path === "" ? [""] : [`${path}/`, ...places(path.replace(/\/?[^/]+$/, ""))]
    const absent = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !places(path).some((place) => packages[`${place}node_modules/${name}`]),
      ),
    )
    expect(absent).toEqual([])
  })

  test("every table of a chain's heights has a rule for its undo, and those without one say why", () => {
    const named = (schema: string): string[] =>
      [...readFileSync(join(root, "migrations", schema, "schema.sql"), "utf8").matchAll(/^create table (\S+) /gm)].map(
        ([, name]) => name!,
      )
    const undoing = files
      .filter((path) => /\/(rollback|undo|forget)-[\w-]+\.ts$/.test(path))
      .map((path) => readFileSync(path, "utf8"))
      .join("\n")
    // Within one statement, and of the heights that are given to it: who empties the whole table undoes nothing.
    const isUndone = (table: string): boolean =>
      [
        ...undoing.matchAll(
          new RegExp(`(delete from|update) ${table.replace(".", "\\.")}\\b((?!delete from|update )[^"\x60])*`, "g"),
        ),
      ].some(([statement]) => /heights?\b/.test(statement) && /\$\d/.test(statement))
    // rollback-raw.ts deletes from all of these.
    const families = evmRawTables.map(({ table }) => `raw.${table}`)
    const ruled = [...named("raw"), ...named("app")].filter(
      (table) => !Object.hasOwn(notOfHeights, table) && !families.includes(table),
    )
    expect(ruled.filter((table) => !isUndone(table))).toEqual([])
    expect(Object.keys(notOfHeights).filter((table) => ![...named("raw"), ...named("app")].includes(table))).toEqual(
      [],
    )
  })

  test("a table that is said to be empty is written by nothing", () => {
    const said = Object.keys(notOfHeights).filter((table) => notOfHeights[table]!.startsWith("empty"))
    const writes = (path: string, table: string): boolean => {
      const text = withoutComments(path)
      const named = `(${table.replace(".", "\\.")}|${table.split(".")[1]})`
      // What is copied is named in a string of its own.
      return (
        new RegExp(`\\b(insert into|merge into|update|copy)\\s+${named}\\b`, "i").test(text) ||
        (/\bcopyIn(All)?\(/.test(text) && new RegExp(`["\x60]${named}["\x60]`).test(text))
      )
    }
    const wrong = said.flatMap((table) =>
      files.filter((path) => writes(path, table)).map((path) => `${relative(root, path)} writes ${table}`),
    )
    expect(said.length).toBeGreaterThan(0)
    expect(wrong).toEqual([])
  })
})
