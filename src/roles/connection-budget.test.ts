import { expect, test } from "vitest"
import { type ConnectionUse, heldConnections, planLanes } from "./connection-budget.js"
import { roles as allRoles } from "./role.js"

const use = (over: Partial<ConnectionUse> = {}): ConnectionUse => ({
  ...{ roles: allRoles, threads: 1, workThreads: 1, derives: true, deferIndexes: false, oneDatabase: false },
  ...over,
})

test("all roles on two databases keep two lanes of history, with one connection for raw's services", () => {
  expect(planLanes(use())).toEqual({ rawPoolSize: 1, ingestLanes: 2, workLanes: 1, spare: 0 })
})

test("where a lane does not depend on it, raw's services have two connections", () => {
  expect(planLanes(use({ oneDatabase: true }))).toEqual({ rawPoolSize: 2, ingestLanes: 2, workLanes: 1, spare: 1 })
  expect(planLanes(use({ roles: ["ingest"] }))).toEqual({ rawPoolSize: 2, ingestLanes: 2, workLanes: 2, spare: 4 })
  expect(planLanes(use({ roles: ["work"] }))).toEqual({ rawPoolSize: 2, ingestLanes: 2, workLanes: 2, spare: 2 })
})

test("what does not fit is refused, with the number that it would take", () => {
  expect(() => planLanes(use({ threads: 3 }))).toThrow("take 13 database connections, and a process keeps to 12")
})

test("a process holds what its roles take, with up to API_CONNECTIONS to each database for answers", () => {
  const held = (over: Partial<ConnectionUse> = {}): number => {
    const one = use(over)
    return heldConnections(planLanes(one), { ...one, apiConnections: 8 })
  }
  expect(held()).toBe(12 + 16)
  expect(held({ oneDatabase: true })).toBe(11 + 8)
  expect(held({ roles: ["ingest"] })).toBe(8)
})
