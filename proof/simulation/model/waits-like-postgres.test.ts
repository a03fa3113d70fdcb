// The model's locks against those of Postgres: operations of the product in two or three transactions at once. Who has to wait, what is
// answered when the other is over, committed or rolled back, and what is left behind have to be the same.

import { afterAll, beforeAll, expect, test } from "vitest"
import { allAnswered } from "../../../src/postgres/all-answered.js"
import type { Connection } from "../../../src/postgres/connection.js"
import type { SqlConnection } from "../../../src/postgres/sql-connection.js"
import { seededRandom } from "../../../test/support/seeded-random.js"
import { createTestDatabase, type TestDatabase } from "../../../test/support/test-database.js"
import { quickOrFull } from "../../quick-or-full.js"
import { openLaboratory } from "../laboratory.js"
import { answerOf } from "./answer-of.js"
import { deriveFirst } from "./derive-rows.js"
import { closePairs, derivingPairs, drawMeeting, type Meeting } from "./draw-meeting.js"
import { HeldSession } from "./held-session.js"
import { leftBehind } from "./left-behind.js"
import { ModelConnection } from "./model-connection.js"
import {
  type Beside,
  beginModel,
  beginPostgres,
  besideModel,
  besidePostgres,
  furnish,
  openConnection,
  quickHost,
  type Side,
  type Step,
  sideOf,
} from "./sides.js"
import { unguardedClaims } from "./unguarded-claims.js"

const randomMeetings = quickOrFull(150, 600)
const seedsPerPair = quickOrFull(2, 7)
const seedsPerDerivingPair = quickOrFull(1, 4)
const sessionsMost = 3

/** Of one of the servers. The first connection makes what is there before, the others are at once. */
interface Server {
  readonly connections: readonly SqlConnection[]
  beside(connection: SqlConnection, step?: Step): Beside
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
  beside: (connection, step) => besidePostgres(connection as Connection, step),
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
  beside: (connection, step) => besideModel(connection as ModelConnection, laboratory, step),
  stages: async (sessions) => {
    // Everything that follows from what was said follows in microtasks.
    await new Promise((resolve) => setImmediate(resolve))
    return sessions.map((session) => stageOf(session) ?? "waits")
  },
})

interface Told {
  readonly stages: readonly string[]
  readonly answers: readonly unknown[]
  readonly left: unknown
}

async function tell(server: Server, { schema, seed, before, atOnce }: Meeting): Promise<Told> {
  const held: Side["held"] = []
  const [first] = server.connections
  const side = (connection: SqlConnection, at: number, session?: HeldSession): Side =>
    sideOf({
      ...{ schema, sql: session?.sql ?? connection, held, random: seededRandom(seed * 8 + at) },
      ...server.beside(connection, session?.step),
    })
  const plain = side(first!, 0)
  await deriveFirst(plain, { schema, seed })
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
    const own = side(connection, at + 1, session)
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

/** True when somebody had to wait. */
async function compare(room: Room, meeting: Meeting): Promise<boolean> {
  const { schema, seed, before, atOnce } = meeting
  await beginPostgres(room.watcher, { schema, seed })
  const database = beginModel(laboratory, { schema, seed })
  const connections = atOnce.map(() => new ModelConnection(database, quickHost))
  const expected = await tell(postgres(room), meeting)
  const found = await tell(modelOf(connections), meeting)
  const isDeadlock = (told: Told): boolean => told.answers.includes(deadlock)
  // Which of them is given up is up to the server. A row that the exclusion constraint holds up is in the table on Postgres, and in the way
  // of others; in the model it is not: there two that overlap do not wait for each other.
  const isHeldUp = atOnce.some(({ name }) => unguardedClaims.some((claim) => claim.name === name))
  if (isDeadlock(expected) && (isDeadlock(found) || isHeldUp)) return true
  const names = before.map(({ name }) => name)
  expect({ seed, names, ...found }).toEqual({ seed, names, ...expected })
  return expected.stages.some((stage) => stage.includes("waits"))
}

/** In how many somebody had to wait. */
async function compareAll(meetings: readonly Meeting[]): Promise<number> {
  let next = 0
  let waits = 0
  const work = rooms.map(async (room) => {
    try {
      for (let meeting = meetings[next++]; meeting; meeting = meetings[next++])
        if (await compare(room, meeting)) waits++
    } catch (error) {
      next = meetings.length
      throw error
    }
  })
  await allAnswered(work)
  return waits
}

test(`whoever waits on Postgres waits on the model of it, in ${randomMeetings} random meetings of transactions`, async () => {
  const meetings = Array.from({ length: randomMeetings }, (_, seed) => drawMeeting(seed))
  expect(await compareAll(meetings)).toBeGreaterThan(randomMeetings / 8)
}, 300_000)

test("and wherever the first of two that are close stops", async () => {
  const meetings = closePairs.flatMap((pair, at) =>
    Array.from({ length: seedsPerPair }, (_, seed) => drawMeeting(at * seedsPerPair + seed, pair)),
  )
  expect(await compareAll(meetings)).toBeGreaterThan(meetings.length / 8)
}, 300_000)

test("and where two derive, or one takes back what the other derives", async () => {
  // One of four begins with something that is done.
  const meetings = derivingPairs.flatMap((pair, at) =>
    Array.from({ length: seedsPerDerivingPair }, (_, seed) =>
      drawMeeting(4 * (at * seedsPerDerivingPair + seed) + 1, pair),
    ),
  )
  expect(await compareAll(meetings)).toBeGreaterThan(meetings.length / 4)
}, 300_000)
