// The model's locks against those of Postgres: operations of the product in two or three transactions at once. Who has to wait, what is
// answered when the other is over, committed or rolled back, and what is left behind have to be the same.

import { afterAll, beforeAll, expect, test } from "vitest"
import { claimGroup } from "../../../src/coordination/postgres/claim-group.js"
import { coordinationTables } from "../../../src/coordination/postgres/coordination-tables.js"
import type { Connection } from "../../../src/postgres/connection.js"
import type { SqlConnection } from "../../../src/postgres/sql-connection.js"
import type { Queryable } from "../../../src/postgres/transaction.js"
import { rawIngester } from "../../../src/raw/raw-tables.js"
import { seededRandom } from "../../support/seeded-random.js"
import { createTestDatabase, type TestDatabase } from "../../support/test-database.js"
import { openLaboratory } from "../laboratory.js"
import { SimRandom } from "../sim-random.js"
import { answerOf } from "./answer-of.js"
import { drawOperation, type Operation } from "./draw-operation.js"
import { type Course, HeldSession } from "./held-session.js"
import { leftBehind } from "./left-behind.js"
import { ModelConnection } from "./model-connection.js"
import {
  beginModel,
  beginPostgres,
  blocksOfModel,
  blocksOfPostgres,
  furnish,
  hourMs,
  openConnection,
  quickHost,
  type Schema,
  type Side,
  sideOf,
} from "./sides.js"

const sequences = 800
const operationsBefore = 3
const sessionsMost = 3

/** Of one of the servers. The first connection makes what is there before, the others are at once. */
interface Server {
  readonly connections: readonly SqlConnection[]
  blocksOf(connection: SqlConnection): Side["writeBlocks"]
  /** When nobody moves any more. */
  stages(sessions: readonly HeldSession[]): Promise<readonly Stage[]>
}

type Stage = "waits" | "stopped" | "done"

const stageOf = ({ isDone, isStopped }: HeldSession): Stage | undefined =>
  isDone ? "done" : isStopped ? "stopped" : undefined

interface Room {
  readonly database: TestDatabase
  readonly watcher: Connection
  readonly connections: readonly Connection[]
}

const rooms: Room[] = []
beforeAll(async () => {
  for (let i = 0; i < 3; i++) {
    const database = await createTestDatabase()
    const watcher = await openConnection(database)
    await furnish(watcher)
    const connections: Connection[] = []
    for (let at = 0; at < sessionsMost; at++) connections.push(await openConnection(database))
    rooms.push({ database, watcher, connections })
  }
})
afterAll(async () => {
  for (const { database, watcher, connections } of rooms) {
    for (const connection of [watcher, ...connections]) await connection.end()
    await database.drop()
  }
})

const postgres = ({ watcher, connections }: Room): Server => ({
  connections,
  blocksOf: (connection) => blocksOfPostgres(connection as Connection),
  stages: async (sessions) => {
    const all = sessions.map(({ connection }) => connection.backend.pid)
    for (;;) {
      // Seen before the server is asked: whoever has stopped by then holds no more than what it keeps.
      const stages = sessions.map(stageOf)
      const moving = all.filter((_, at) => !stages[at])
      const { rows } = await watcher.query<{ pid: number }>(
        "select pid from unnest($1::int4[]) as pid where pg_blocking_pids(pid) && $2::int4[]",
        [moving, all],
      )
      // Where nobody could be told to go on the server ends the deadlock.
      if (rows.length === moving.length && (moving.length === 0 || stages.includes("stopped")))
        return stages.map((stage) => stage ?? "waits")
    }
  },
})

const modelOf = (connections: readonly ModelConnection[]): Server => ({
  connections,
  blocksOf: (connection) => blocksOfModel(connection as ModelConnection),
  stages: async (sessions) => {
    // Everything that follows from what was said follows in microtasks.
    await new Promise((resolve) => setImmediate(resolve))
    return sessions.map((session) => stageOf(session) ?? "waits")
  },
})

/**
 * The net under the claims' lock, which none of them meets while all of them take it: a claim that does not wait for the others, and one
 * that sees none of their leases either.
 */
const unguarded = ["claim without its lock", "claim that sees no leases"].map(
  (name, isBlind): Operation => ({
    name,
    run: ({ sql, random, schema, held }) =>
      sql.transaction(async (tx) => {
        const past: Queryable = {
          query: async (text, params, options) => {
            if (text.includes("pg_advisory_xact_lock(")) return tx.query("select 1 as one")
            const result = await tx.query(text, params, options)
            if (isBlind && result.rows[0]?.["unfinished"]) Object.assign(result.rows[0], { unfinished: [] })
            return result as never
          },
        }
        const leases = await claimGroup({ tables: coordinationTables(schema), random }, past, {
          ...{ members: [{ workerType: rawIngester, dependencies: [] }], regions: [{ from: 0, to: 24 }] },
          // Of two leases in its way an index may show either first.
          ...{ holder: "p3", rangeSize: 10, maxBlocks: isBlind ? 1 : 10, order: "oldest", ttlMs: hourMs },
        })
        held.push(...leases)
        return leases.map(({ range, attempt, epoch }) => ({ range, attempt, epoch }))
      }),
  }),
)

const ofLeases = ["claim", "claim group", "commit", "release"]
const ofBoth = [...ofLeases, "renew", "reap", "register", "retry", "skip"]
/** Whatever takes a lock. */
const locking: Readonly<Record<Schema, readonly string[]>> = {
  raw: [
    ...ofBoth,
    ...[
      "open intent",
      "roll raw back",
      "record head",
      "record finality",
      "take head post",
      "assert head post",
    ],
  ],
  app: [...ofBoth, "roll app back", "reopen"],
}
/** Their first statement asks for an advisory lock: whoever waits there has its turn, on any server. */
const queued: Readonly<Record<Schema, readonly string[]>> = {
  raw: ["claim", "claim group", "skip", "roll raw back"],
  app: ["claim", "claim group", "skip", "commit", "roll app back", "reopen"],
}

interface Story {
  readonly schema: Schema
  readonly seed: number
  readonly before: readonly Operation[]
  readonly atOnce: readonly (Operation & Course)[]
}

function drawStory(seed: number): Story {
  const schema: Schema = seed % 2 === 0 ? "raw" : "app"
  const random = new SimRandom(seed * 104_729 + 7)
  const draw = (names: readonly string[]): Operation => {
    const name = random.pick(names)
    for (;;) {
      const operation = drawOperation(random, schema)
      if (operation.name === name) return operation
    }
  }
  const intents = schema === "raw" ? ["open intent"] : []
  const before = [
    draw(["claim", "claim group"]),
    ...Array.from({ length: operationsBefore }, () => draw([...ofLeases, "pass time", ...intents])),
  ]
  const any = (): Operation => (random.chance(0.1) ? random.pick(unguarded) : draw(locking[schema]))
  const end = (): Course["end"] => (random.chance(0.7) ? "commit" : "rollback")
  const first = { ...any(), statements: random.between(1, 9), end: end() }
  if (random.chance(0.7)) {
    const second = { ...any(), statements: Number.POSITIVE_INFINITY, end: "commit" } as const
    return { schema, seed, before, atOnce: [first, second] }
  }
  const inTurn = (): Operation & Course => ({
    ...draw(queued[schema]),
    ...{ statements: 1, end: end() },
  })
  return { schema, seed, before, atOnce: [first, inTurn(), inTurn()] }
}

interface Told {
  readonly stages: readonly string[]
  readonly answers: readonly unknown[]
  readonly left: unknown
}

async function tell(server: Server, { schema, seed, before, atOnce }: Story): Promise<Told> {
  const held: Side["held"] = []
  const [first] = server.connections
  const side = (connection: SqlConnection, sql: Side["sql"], at: number): Side =>
    sideOf({
      ...{ schema, sql, held, random: seededRandom(seed * 8 + at) },
      writeBlocks: server.blocksOf(connection),
    })
  const plain = side(first!, first!, 0)
  const answers: unknown[] = []
  for (const { run } of before) answers.push(await answerOf(() => run(plain)))
  const stages: string[] = []
  const sessions: HeldSession[] = []
  const look = async (what: string): Promise<readonly Stage[]> => {
    const seen = await server.stages(sessions)
    stages.push(`${what}: ${seen.join(", ")}`)
    return seen
  }
  const runs: Promise<void>[] = []
  let seen: readonly Stage[] = []
  for (const [at, { name, run, ...course }] of atOnce.entries()) {
    const connection = server.connections[at]!
    const session = new HeldSession(connection, course)
    sessions.push(session)
    const own = side(connection, session.sql, at + 1)
    runs.push(session.run(() => run(own)))
    seen = await look(`${name} begins`)
  }
  while (seen.some((stage) => stage !== "done")) {
    const at = seen.indexOf("stopped")
    if (at < 0) throw new Error(`nobody goes on: ${stages.join("; ")}`)
    sessions[at]!.goOn()
    seen = await look(`${atOnce[at]!.name}, told to ${atOnce[at]!.end}`)
  }
  await Promise.all(runs)
  return {
    stages,
    answers: [...answers, ...sessions.map(({ answer }) => answer)],
    left: await leftBehind(plain),
  }
}

const laboratory = await openLaboratory()
const deadlock = "40P01"

/** How often somebody waited. */
async function compare(room: Room, seed: number): Promise<number> {
  const story = drawStory(seed)
  const { schema } = story
  await beginPostgres(room.watcher, { schema, seed })
  const database = beginModel(laboratory, { schema, seed })
  const connections = story.atOnce.map(() => new ModelConnection(database, quickHost))
  const expected = await tell(postgres(room), story)
  const found = await tell(modelOf(connections), story)
  const names = story.before.map(({ name }) => name)
  const isDeadlock = (told: Told): boolean => told.answers.includes(deadlock)
  // Which of them is given up is up to the server.
  if (isDeadlock(expected) && isDeadlock(found)) return 1
  expect({ seed, names, ...found }).toEqual({ seed, names, ...expected })
  return expected.stages.filter((stage) => stage.includes("waits")).length
}

test(`whoever waits on Postgres waits on the model of it, in ${sequences} random meetings of transactions`, async () => {
  let next = 0
  let waits = 0
  const work = rooms.map(async (room) => {
    while (next < sequences) {
      const seen = await compare(room, next++)
      waits += seen
    }
  })
  await Promise.all(work)
  expect(waits).toBeGreaterThan(sequences / 8)
}, 600_000)
