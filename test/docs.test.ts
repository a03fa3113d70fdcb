// The documents say what the code says: every setting, error code, metric, table, route and flag has its line, and none is
// listed that does not exist. Links lead somewhere, and tests that are named exist.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { type FastifyInstance, fastify } from "fastify"
import { Registry } from "prom-client"
import { describe, expect, test } from "vitest"
import { bugs } from "../proof/bugs/bugs.js"
import { scenarios } from "../proof/chaos/scenarios.js"
import { noAccess } from "../src/api/access.js"
import { adminRoutes } from "../src/api/admin-routes.js"
import { opsLists } from "../src/api/ops-routes.js"
import { statusRoutes } from "../src/api/status-routes.js"
import { streamCloseCodes } from "../src/api/stream-reader.js"
import { errorsHelp } from "../src/cli/errors-command.js"
import { leasesHelp } from "../src/cli/leases-command.js"
import { migrateHelp } from "../src/cli/migrate-command.js"
import { repairHelp } from "../src/cli/repair-command.js"
import { resetHelp } from "../src/cli/reset-command.js"
import { rollbackHelp } from "../src/cli/rollback-command.js"
import { startHelp } from "../src/cli/start.js"
import { statusHelp } from "../src/cli/status-command.js"
import { verifyHelp } from "../src/cli/verify-command.js"
import { workersHelp } from "../src/cli/workers-command.js"
import { evmFamily } from "../src/families/evm/evm-family.js"
import { builtInWorkers } from "../src/families/evm/indexes/built-in-workers.js"
import { refusedActions } from "../src/families/evm/queries/etherscan/etherscan-actions.js"
import { systemClock } from "../src/platform/clock.js"
import { errorCodes } from "../src/platform/errors.js"
import { silentLogger } from "../src/platform/logger.js"
import { createHttpMetrics, createMetrics, createStreamMetrics, metricNames } from "../src/platform/metrics.js"
import { secretVariables } from "../src/platform/secret-files.js"
import { kebab, type SettingTable } from "../src/platform/setting.js"
import { chainSettings, processSettings } from "../src/platform/settings.js"
import type { EtherscanAction } from "../src/queries/etherscan/etherscan-action.js"
import { documentErrorCodes } from "../src/queries/graphql/document-errors.js"
import { requestErrors } from "../src/queries/request-error.js"
import { stallCauses } from "../src/status/diagnosis.js"
import { columnTypes } from "../src/workers/column.js"
import { stateColumns } from "../src/workers/fold-plan.js"
import { WorkerRegistry } from "../src/workers/worker-registry.js"

const root = resolve(import.meta.dirname, "..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

function filesBelow(directory: string, ending: string): string[] {
  return readdirSync(join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = `${directory}/${entry.name}`
    return entry.isDirectory() ? filesBelow(path, ending) : path.endsWith(ending) ? [path] : []
  })
}

const documents = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "src/coordination/PROTOCOL.md"],
  ...filesBelow("docs", ".md"),
]

/** The text below a heading, up to the next of the same or a higher level. */
function section(path: string, heading: string): string {
  const lines = read(path).split("\n")
  const start = lines.indexOf(heading)
  if (start < 0) throw new Error(`${path} has no heading ${heading}`)
  const level = heading.indexOf(" ")
  const end = lines.findIndex((line, i) => i > start && /^#+ /.test(line) && line.indexOf(" ") <= level)
  return lines.slice(start + 1, end < 0 ? undefined : end).join("\n")
}

/** The cells of every row of every table in a text, without the heads. */
function tableRows(text: string): string[][] {
  const lines = text.split("\n")
  return lines.flatMap((line, i) => {
    const isRow = line.startsWith("|") && !/^\|[-|]+\|$/.test(line)
    if (!isRow || /^\|[-|]+\|$/.test(lines[i + 1] ?? "")) return []
    const cells = line.split(/(?<!\\)\|/).slice(1, -1)
    return [cells.map((cell) => cell.trim())]
  })
}

const code = (text: string): string => `\`${text}\``
const unquoted = (cell: string): string => cell.replaceAll("`", "")

describe("docs/reference/config.md", () => {
  const page = "docs/reference/config.md"
  const expected = (table: SettingTable): string[][] =>
    Object.entries(table).map(([name, { env, fallback, allowed, help }]) => [
      code(name),
      code(env),
      code(`--${kebab(name)}`),
      fallback === undefined ? "none" : code(String(fallback)),
      allowed,
      help,
    ])

  test("has every setting of the process as it is, and no other", () => {
    expect(tableRows(section(page, "## Of the process"))).toEqual(expected(processSettings))
  })

  test("has every setting of a chain as it is, and no other", () => {
    const rows = tableRows(section(page, "## Of a chain").split("### ")[0]!)
    expect(rows).toEqual(expected(chainSettings))
  })

  test("has every setting of an EVM chain as it is, and no other", () => {
    expect(tableRows(section(page, "### Of an EVM chain"))).toEqual(expected(evmFamily.settings))
  })

  test("has every check", () => {
    const rows = tableRows(section(page, "### `checks`"))
    expect(rows.map(([name]) => unquoted(name!))).toEqual(evmFamily.checkNames)
  })

  test("has every variable that can come from a file", () => {
    const rows = tableRows(section(page, "## Secrets from files")).map(([file, name]) => [unquoted(file!), name])
    const settings = Object.values(processSettings).map(({ env }) => env)
    const names = [...secretVariables, ...settings.filter((name) => settings.includes(`${name}_FILE` as typeof name))]
    expect(rows.sort()).toEqual(names.map((name) => [`${name}_FILE`, code(name)]).sort())
  })

  test("no page names a variable that nothing reads", () => {
    const settings = [processSettings, chainSettings, evmFamily.settings].flatMap((table) => Object.values(table))
    const known = new Set([
      ...settings.map(({ env }) => env),
      ...secretVariables.map((name) => `${name}_FILE`),
      // Read beside the tables; the last three by tests.
      ...["RPC_URL", "RPC_HEADERS", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "CHECKS", "ROLES", "NO_COLOR"],
      ...["UPDATE_SCHEMA", "REAL_BLOCKS", "PROFILE"],
      // What the commands of docs/guides/maintain.md ask an operator to set.
      ...["NEW_URL", "NEW_APP_URL", "SERVER_URL", "ON_ERROR_STOP"],
      ...Object.keys(errorCodes),
      // Of the client.
      "BAD_ANSWER",
      ...Object.keys(requestErrors),
      ...documentErrorCodes,
      ...streamCloseCodes,
      ...stallCauses,
    ])
    // Words in code with an underscore, and assignments: what a reader would take for a variable.
    const named = documents.flatMap((path) =>
      [...read(path).matchAll(/`([A-Z]+(?:_[A-Z]+)+)(?:=[^`]*)?`|\b([A-Z]+(?:_[A-Z]+)*)=\S/g)].map(
        ([, quoted, assigned]) => `${path}: ${quoted ?? assigned}`,
      ),
    )
    expect(named.filter((name) => !known.has(name.split(": ")[1]!))).toEqual([])
    expect(named.length).toBeGreaterThan(50)
  })
})

test("docs/reference/errors.md has every error code with its action, and no other", () => {
  const listed = [...read("docs/reference/errors.md").matchAll(/^### `(\w+)`\n\nAction: (\w+)\. /gm)]
  expect(Object.fromEntries(listed.map(([, name, action]) => [name, action]))).toEqual(errorCodes)
  expect(listed).toHaveLength(Object.keys(errorCodes).length)
})

test("docs/guides/operate.md has every cause of a stall, and no other", () => {
  const rows = tableRows(section("docs/guides/operate.md", "## The stall doctor"))
  expect(rows.map(([cause]) => unquoted(cause!))).toEqual([...stallCauses])
})

describe("metrics", () => {
  test("docs/reference/metrics.md has every metric as it is, and no other", () => {
    const kinds = ["## Gauges", "## Counters", "## Histogram", "## Event streams", "## HTTP"]
    const rows = kinds.flatMap((heading) => tableRows(section("docs/reference/metrics.md", heading)))
    const names = metricNames()
    type Described = { name: string; help: string; labelNames: string[] }
    const streams = new Registry()
    createStreamMetrics(streams)
    createHttpMetrics(streams)
    const registries = [createMetrics().registry, streams]
    const metrics = registries.flatMap((one) => one.getMetricsAsArray()) as unknown as Described[]
    const expected = metrics
      .filter(({ name }) => names.includes(name))
      .map((metric) => [
        code(metric.name),
        metric.constructor.name.toLowerCase(),
        metric.labelNames.map(code).join(", "),
        metric.help,
      ])
    expect(rows).toEqual(expected)
    expect(rows.map(([name]) => unquoted(name!)).sort()).toEqual(names)
  })

  test.each(["docs/dashboards/tidemark.json", ...documents])("%s uses existing metrics only", (path) => {
    const names = new Set(metricNames())
    const used = [...read(path).matchAll(/\btidemark_([a-z_]+[a-z])\b(?!…)/g)]
      .map(([name]) => name.replace(/_(bucket|sum|count)$/, ""))
      // Databases on the embedded server, and the runtime's own metrics.
      .filter((name) => !/^tidemark_((demo|process|nodejs)_|read$)/.test(name))
    expect(used.filter((name) => !names.has(name))).toEqual([])
    if (path.endsWith(".json")) expect(new Set(used).size).toBeGreaterThan(30)
  })

  test("the dashboard asks for its data source and names none", () => {
    type Node = { datasource?: unknown; [key: string]: unknown }
    const dashboard = JSON.parse(read("docs/dashboards/tidemark.json")) as {
      panels: { type: string; targets?: { expr: string }[] }[]
      templating: { list: { name: string; type: string }[] }
    }
    const sources: unknown[] = []
    JSON.stringify(dashboard, (_key, value: unknown) => {
      const { datasource } = (value ?? {}) as Node
      if (datasource !== undefined) sources.push(datasource)
      return value
    })
    expect(sources.length).toBeGreaterThan(20)
    const variable = "$" + "{datasource}"
    for (const source of sources) expect(source).toEqual({ type: "prometheus", uid: variable })
    expect(dashboard.templating.list).toContainEqual(
      expect.objectContaining({ name: "datasource", type: "datasource" }),
    )
    const drawn = dashboard.panels.filter(({ type }) => type !== "row")
    for (const { targets } of drawn) expect(targets?.map(({ expr }) => expr)).not.toContain("")
  })
})

describe("docs/reference/schema.md", () => {
  const page = "docs/reference/schema.md"
  const sql = ["raw", "app"].map((schema) => read(`migrations/${schema}/schema.sql`)).join("\n")

  function columnsOf(body: string): string[] {
    return body
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => !line.startsWith("constraint "))
      .map((line) => line.replaceAll('"', "").split(" ")[0]!)
  }
  const registry = new WorkerRegistry(builtInWorkers)
  const plans = [...registry.folds.values()].flat()
  const derived = registry.workers.flatMap((worker) =>
    Object.entries(worker.tables).map(([name, table]) => ({
      ...{ worker: worker.name, name, table },
      columns:
        table.kind === "events"
          ? Object.entries(table.columns).map(([column, definition]) => ({ name: column, ...definition }))
          : stateColumns(plans.find((plan) => plan.table === name)!),
    })),
  )
  const tables = new Map([
    ...[...sql.matchAll(/^create (?:table|view) (\S+) (?:\(|as select)\n([\s\S]*?)(?:\n\).*)?;$/gm)].map(
      ([, name, body]): [string, string[]] => [name!, columnsOf(body!)],
    ),
    ...derived.map(({ name, columns }): [string, string[]] => [`app.${name}`, columns.map((column) => column.name)]),
  ])

  test("has every table and view of both schemas, and no other", () => {
    const headings = [...read(page).matchAll(/^### (\S+)$/gm)].map(([, name]) => name!)
    expect(headings.sort()).toEqual([...tables.keys()].sort())
    expect(tables.size).toBeGreaterThan(20)
  })

  test.each([...tables])("has the columns of %s, in their order, and no other", (name, columns) => {
    const text = section(page, `### ${name}`)
    const listed = text.split("\n\n").find((paragraph) => paragraph.startsWith("Columns: "))
    const named = listed
      ? [...listed.matchAll(/`(\w+)`/g)].map(([, column]) => column)
      : tableRows(text).map(([column]) => unquoted(column!))
    expect(named).toEqual(columns)
  })

  test.each(derived)("says of the table $name whose it is, its key, indexes and types", (declared) => {
    const { worker, table, columns } = declared
    const text = section(page, `### app.${declared.name}`)
    const listed = (names: readonly string[]): string => code(`(${names.join(", ")})`)
    const isEvents = table.kind === "events"
    const blocks = isEvents ? table.partitionBlocks?.toLocaleString("en") : undefined
    const indexes = table.indexes?.map(listed).join(", ")
    const said = [
      `${isEvents ? "Event" : "State"} table of ${code(worker)}${blocks ? `, partitions of ${blocks} heights` : ""}.`,
      `Key: ${listed(isEvents ? table.key : Object.keys(table.key))}.${indexes ? ` Indexes: ${indexes}.` : ""}`,
    ].join(" ")
    const paragraphs = text.split("\n\n").map((paragraph) => paragraph.replaceAll("\n", " "))
    expect(paragraphs.map((paragraph) => paragraph.slice(-said.length))).toContain(said)
    expect(tableRows(text).map(([, type]) => type)).toEqual(
      columns.map(({ kind, nullable }) => `${columnTypes[kind].replace(" ", "")}${nullable ? ", null" : ""}`),
    )
  })

  test("draws which worker depends on which", () => {
    const [, drawn] = /flowchart LR\n {2}raw([\s\S]*?)```/.exec(read(page))!
    const arrows = `raw${drawn}`
      .trim()
      .split("\n")
      .flatMap((line) => {
        const [from, to] = line.split("-->").map((side) => side.split("&").map((name) => name.trim()))
        return to!.flatMap((name) => from!.map((dependency) => `${dependency} --> ${name}`))
      })
    const declared = registry.workers.flatMap(({ name, dependencies = ["raw"] }) =>
      dependencies.map((dependency) => `${dependency} --> ${name}`),
    )
    expect(arrows.sort()).toEqual(declared.sort())
  })

  test("has every act that is written to the audit logs, and no other", () => {
    const codes = (text: string): string[] => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name!)
    const [raw] = tableRows(section(page, "### raw.audit_log")).filter(([column]) => column === "`action`")
    const app = /Actions are ([^;]+);/.exec(section(page, "### app.audit_log"))![1]!
    // An act is a word in the statement itself, or is handed on as "action".
    const written = filesBelow("src", ".ts")
      .filter((path) => !path.endsWith(".test.ts"))
      .map(read)
      .filter((text) => /audit|reopenHeights|refetchBlocks/i.test(text))
      .flatMap((text) => [
        ...[...text.matchAll(/\(actor, action, details\) values \(\$1, '(\w+)'/g)].map(([, act]) => act!),
        ...[...text.matchAll(/\baction\??(?::| =) (.*)/g)].flatMap(([, rest]) => rest!.match(/(?<=")\w+(?=")/g) ?? []),
      ])
    expect([...new Set([...codes(raw![2]!), ...codes(app)])].sort()).toEqual([...new Set(written)].sort())
  })
})

test("docs/reference/http.md has every route, and no other", () => {
  const served: string[] = []
  const app = { get: (path: string) => served.push(path) } as unknown as FastifyInstance
  const options = {
    chains: () => [],
    metrics: () => createMetrics().registry.metrics(),
    readyLagBlocks: 0,
    maxHeadAgeMs: 0,
  }
  statusRoutes(app, { ...options, clock: systemClock })
  const headings = [...read("docs/reference/http.md").matchAll(/^## GET (\S+)$/gm)].map(([, path]) => path)
  expect(headings).toEqual(served)
})

test("docs/reference/http.md has every route of the data with its workers, and no other", () => {
  const rows = tableRows(section("docs/reference/http.md", "## The data")).filter(([path]) => path!.startsWith("`/v1"))
  const declared = evmFamily.resources.map(({ path, summary, workers }) => [
    code(`/v1/{chain}${path.replace(/:(\w+)/g, "{$1}")}`),
    `${summary}.`,
    workers.map(code).join(", "),
  ])
  expect(rows).toEqual(declared)
})

test("docs/reference/http.md has every route for operators with its filters, and no other", () => {
  const rows = tableRows(section("docs/reference/http.md", "## For operators"))
  const declared = opsLists.map(({ path, summary, query }) => [
    code(`/v1/{chain}/ops${path}`),
    `${summary}.`,
    Object.keys(query).map(code).join(", "),
  ])
  expect(rows).toEqual(declared)
})

test("docs/reference/http.md has every route for administrators with its body, and no other", async () => {
  const rows = tableRows(section("docs/reference/http.md", "## For administrators"))
  const declared: string[][] = []
  const app = fastify({ exposeHeadRoutes: false })
  app.addHook("onRoute", ({ method, url, schema }) => {
    const { summary, body } = schema as { summary: string; body?: { properties: object } }
    const path = url.replace(/:(\w+)/g, "{$1}")
    declared.push([
      code(`${method} ${path}`),
      Object.keys(body?.properties ?? {})
        .map(code)
        .join(", "),
      `${summary}.`,
    ])
  })
  const access = { ...noAccess, adminToken: "token" }
  adminRoutes(app, {
    ...{ access, operated: () => [], clock: systemClock, logger: silentLogger },
    abisChanged: () => undefined,
  })
  expect(rows).toEqual(declared)
})

test("docs/reference/http.md has every code of a refused request with its status, or graphql.md if it is GraphQL's", () => {
  const rows = tableRows(section("docs/reference/http.md", "## The data")).filter(([status]) => /^\d+$/.test(status!))
  const listed = rows.map(([status, name]) => [unquoted(name!.split(" ")[0]!), Number(status)] as const)
  const graph = tableRows(section("docs/reference/graphql.md", "## Requests"))
    .map(([name, status]) => [unquoted(name!), Number.parseInt(status!, 10)] as const)
    .filter(([name, status]) => name in requestErrors && !Number.isNaN(status))
  const inFields = tableRows(section("docs/reference/graphql.md", "## Requests"))
    .filter(([, status]) => status === "in a field")
    .map(([name]) => unquoted(name!) as keyof typeof requestErrors)
    .map((name) => [name, requestErrors[name]] as const)
  expect(Object.fromEntries([...inFields, ...graph, ...listed])).toMatchObject(requestErrors)
  expect(Object.fromEntries(graph.filter(([name]) => listed.some(([other]) => other === name)))).toMatchObject(
    Object.fromEntries(listed.filter(([name]) => graph.some(([other]) => other === name))),
  )
})

test("docs/reference/etherscan.md has every action once, and says which need the node or are refused", () => {
  const rows = tableRows(section("docs/reference/etherscan.md", "## Actions"))
  const listed = rows.flatMap(([module, names]) => {
    const [, name, kind = "from the store"] = /^`(\w+)`(?:, (.+))?$/.exec(module!)!
    return names!.split(", ").map((action) => `${name} ${unquoted(action)} ${kind}`)
  })
  const kindOf = (one: EtherscanAction): string =>
    one.methods ? "through the node" : refusedActions.includes(one) ? "refused" : "from the store"
  const declared = evmFamily.etherscanActions.map((one) => `${one.module} ${one.action} ${kindOf(one)}`)
  expect(listed.sort()).toEqual(declared.sort())
})

const helps = {
  start: startHelp,
  status: statusHelp,
  leases: leasesHelp,
  workers: workersHelp,
  errors: errorsHelp,
  rollback: rollbackHelp,
  verify: verifyHelp,
  repair: repairHelp,
  migrate: migrateHelp,
  reset: resetHelp,
}
test.each(Object.entries(helps))("docs/reference/cli.md has the help of %s, word for word", (name, help) => {
  expect(section("docs/reference/cli.md", `## tidemark ${name}`)).toContain(help.trim())
})

describe("commands that the guides name", () => {
  const pages = ["README.md", ...documents.filter((path) => path.startsWith("docs/guides/"))]
  const named = pages.flatMap((path) =>
    [
      ...read(path).matchAll(
        /tidemark (status|start|migrate|leases|workers|errors|rollback|verify|repair|reset)\b(.*)/g,
      ),
    ].map(([text, command, rest]) => ({
      text: `${path}: ${text}`,
      help: helps[command as keyof typeof helps],
      command: command!,
      // Up to where a comment, the code or another command begins.
      rest: rest!.split(/[`#|;(]| {2}/, 1)[0]!,
    })),
  )
  const ofStart = new Set(
    [processSettings, chainSettings, evmFamily.settings].flatMap((table: SettingTable) =>
      Object.keys(table).map((name) => `--${kebab(name)}`),
    ),
  )

  test("have their subcommands", () => {
    const several = named.filter(({ command }) => ["leases", "workers", "errors"].includes(command))
    const wrong = several.filter(({ rest, help }) => {
      const [, subcommand] = /^ (\w+)/.exec(rest) ?? []
      return subcommand !== undefined && !new RegExp(`^  ${subcommand}\\b`, "m").test(help)
    })
    expect(several.length).toBeGreaterThan(15)
    expect(wrong.map(({ text }) => text)).toEqual([])
  })

  test("have their flags", () => {
    const wrong = named.filter(({ rest, help, command }) =>
      [...rest.matchAll(/--[a-z-]+/g)].some(
        ([flag]) => !help.includes(flag) && !(command === "start" && ofStart.has(flag)),
      ),
    )
    expect(wrong.map(({ text }) => text)).toEqual([])
  })
})

test("docs/hazards.md names tests that exist, and says where there is none", () => {
  const rows = tableRows(read("docs/hazards.md"))
  const wrong: string[] = []
  for (const [hazard, , , tests] of rows) {
    for (const part of tests!.split("<br>")) {
      const [, file, title] = /^`([^`]+)`: "(.+)"$/.exec(part) ?? []
      if (part.startsWith("missing")) continue
      const found =
        file &&
        existsSync(join(root, file)) &&
        read(file)
          .replace(/\(\s+"/g, `("`)
          .includes(`("${title}"`)
      if (!found) wrong.push(`${hazard}: ${part}`)
    }
  }
  expect(wrong).toEqual([])
  expect(rows.length).toBeGreaterThan(25)
})

test("docs/hazards.md has every hazard once, but for those it says it leaves out, and those of all bugs", () => {
  const page = read("docs/hazards.md")
  const rows = tableRows(page).map(([hazard]) => hazard!)
  const left = [...page.split("\n## ")[0]!.matchAll(/H(\d+) to H(\d+)/g)].flatMap(([, from, to]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => `H${Number(from) + at}`),
  )
  const all = Array.from({ length: 84 }, (_, at) => `H${at + 1}`)
  expect([...rows, ...left].sort()).toEqual(all.sort())
  const ofBugs = Object.values(bugs).map(({ hazard }) => hazard)
  expect(ofBugs.filter((hazard) => !rows.includes(hazard))).toEqual([])
})

test("docs/reliability.md has every scenario with how often it is run, and no other", () => {
  const heading = "## Scenarios"
  const listed = tableRows(section("docs/reliability.md", heading))
    // In brackets: what is no scenario.
    .filter(([names]) => !names!.startsWith("("))
    .flatMap(([names, full]) =>
      names!.split(", ").map((name) => [name, /^[\d,]+/.exec(full!)?.[0].replaceAll(",", "")]),
    )
  const known = scenarios.map(({ name, count }) => [name, String(count.full)])
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(known))
  expect(listed).toHaveLength(known.length)
})

test("docs/hazards.md and docs/ARCHITECTURE.md name files and folders that exist", () => {
  const wrong = ["docs/hazards.md", "docs/ARCHITECTURE.md"].flatMap((path) =>
    [...read(path).matchAll(/`((?:src|test|proof|migrations|bench|scripts)\/[^`*]+)`/g)]
      .filter(([, named]) => !existsSync(join(root, named!)))
      .map(([, named]) => `${path}: ${named}`),
  )
  expect(wrong).toEqual([])
})

test("src/coordination/PROTOCOL.md names files of the product that exist", () => {
  const files = ["src", "test", "proof"].flatMap((directory) => filesBelow(directory, ".ts"))
  const named = [...read("src/coordination/PROTOCOL.md").matchAll(/`([\w/-]+\.ts)`/g)].map(([, file]) => file!)
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([])
})

test("docs/ARCHITECTURE.md has every folder of src", () => {
  const rows = tableRows(section("docs/ARCHITECTURE.md", "## Folders"))
  const named = rows.map(([folder]) => unquoted(folder!)).filter((folder) => folder.startsWith("src/"))
  expect(named.sort()).toEqual(readdirSync(join(root, "src")).map((name) => `src/${name}`))
})

test("the README is short, and its npm commands exist", () => {
  expect(read("README.md").split("\n").length).toBeLessThan(150)
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> }
  const named = ["README.md", "CONTRIBUTING.md"].flatMap((path) =>
    [...read(path).matchAll(/^npm (?:run )?(\w+)/gm)].map(([, script]) => script!),
  )
  expect(named.filter((script) => !(script in scripts))).toEqual([])
})

describe("links", () => {
  /** As GitHub makes them. */
  const anchor = (heading: string): string =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-")
  const anchorsOf = (path: string): string[] =>
    [...readFileSync(path, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchor(heading!))

  test.each(documents)("of %s lead somewhere", (path) => {
    const text = read(path).replace(/^```[\s\S]*?^```/gm, "")
    const wrong = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target]) => target!)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => {
        const [file, fragment] = target.split("#")
        const to = file ? resolve(dirname(join(root, path)), file) : join(root, path)
        if (!existsSync(to)) return true
        return fragment !== undefined && (statSync(to).isDirectory() || !anchorsOf(to).includes(fragment))
      })
    expect(wrong).toEqual([])
  })

  test("every document under docs is reached from the README", () => {
    const reached = new Set<string>()
    const visit = (path: string): void => {
      if (reached.has(path) || !existsSync(join(root, path))) return
      reached.add(path)
      if (!path.endsWith(".md")) return
      for (const [, target] of read(path).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
        if (!/^https?:/.test(target!)) visit(relative(root, resolve(dirname(join(root, path)), target!)))
      }
    }
    visit("README.md")
    const all = [...filesBelow("docs", ".md"), ...filesBelow("docs", ".json")]
    expect(all.filter((path) => !reached.has(path))).toEqual([])
  })
})

test("no document names the machine it was written on", () => {
  const here = `${dirname(root)}/`
  expect(documents.filter((path) => read(path).includes(here) || /\/tmp\//.test(read(path)))).toEqual([])
})
