// The model of Postgres against Postgres: the product's own operations, in random order and with the same randomness, have to be answered
// alike by both, and to leave the same behind.

import { afterAll, beforeAll, expect, test } from "vitest"
import type { Connection } from "../../../src/postgres/connection.js"
import { seededRandom } from "../../../test/support/seeded-random.js"
import { createTestDatabase, type TestDatabase } from "../../../test/support/test-database.js"
import { quickOrFull } from "../../quick-or-full.js"
import { openLaboratory } from "../laboratory.js"
import { SimRandom } from "../sim-random.js"
import { answerOf } from "./answer-of.js"
import { deriveFirst } from "./derive-rows.js"
import { drawOperation } from "./draw-operation.js"
import { leftBehind } from "./left-behind.js"
import { ModelConnection } from "./model-connection.js"
import {
  beginModel,
  beginPostgres,
  besideModel,
  besidePostgres,
  furnish,
  openConnection,
  quickHost,
  type Schema,
  sideOf,
} from "./sides.js"

const sequences = quickOrFull(250, 1_000)
const operationsEach = 8

/** Sequences run side by side, each in a database of its own: two reapers in one would keep each other out. */
const databases = 6
const created: TestDatabase[] = []
const connections: Connection[] = []
beforeAll(async () => {
  for (let i = 0; i < databases; i++) {
    const database = await createTestDatabase()
    created.push(database)
    const connection = await openConnection(database)
    connections.push(connection)
    await furnish(connection)
  }
})
afterAll(async () => {
  for (const connection of connections) await connection.end()
  for (const database of created) await database.drop()
})

const laboratory = await openLaboratory()

/** True when a fold has left something. */
async function compare(connection: Connection, sequence: number): Promise<boolean> {
  const schema: Schema = sequence % 2 === 0 ? "raw" : "app"
  const random = new SimRandom(sequence * 7_919 + 1)
  const state = { schema, seed: sequence }
  await beginPostgres(connection, state)
  const modelled = new ModelConnection(beginModel(laboratory, state), quickHost)
  const real = sideOf({
    ...{ schema, sql: connection, random: seededRandom(sequence), held: [] },
    ...besidePostgres(connection),
  })
  const model = sideOf({
    ...{ schema, sql: modelled, random: seededRandom(sequence), held: [] },
    ...besideModel(modelled, laboratory),
  })
  await deriveFirst(real, state)
  await deriveFirst(model, state)
  const told: string[] = []
  for (let i = 0; i < operationsEach; i++) {
    const { name, run } = drawOperation(random, schema)
    const [expected, found] = [await answerOf(() => run(real)), await answerOf(() => run(model))]
    told.push(`${name}: ${JSON.stringify(expected)}`)
    expect({ sequence, told, answer: found }).toEqual({ sequence, told, answer: expected })
  }
  const [expected, found] = [await leftBehind(real), await leftBehind(model)]
  expect({ sequence, told, left: found }).toEqual({ sequence, told, left: expected })
  return Object.values(expected.states).some((rows) => rows.length > 0)
}

test(`${sequences} random sequences of operations are answered alike by Postgres and by the model of it`, async () => {
  let next = 0
  let folded = 0
  const work = connections.map(async (connection) => {
    while (next < sequences) if (await compare(connection, next++)) folded++
  })
  await Promise.all(work)
  expect(folded).toBeGreaterThan(sequences / 4)
}, 600_000)
