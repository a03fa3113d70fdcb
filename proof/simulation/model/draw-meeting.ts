// Transactions that meet: what was done before, and two or three operations that are at once, each of which stops somewhere.

import { SimRandom } from "../sim-random.js"
import { drawOperation, type Operation } from "./draw-operation.js"
import type { Course } from "./held-session.js"
import type { Schema } from "./sides.js"
import { unguardedClaims } from "./unguarded-claims.js"

const operationsBefore = 3
/** So many that two of them are often of one worker. */
const claimsBefore = 4
/** Places where the first may stop; most have fewer. */
const statementsMost = 8

const ofLeases = ["claim", "claim group", "commit", "release"]
const ofBoth = [
  ...ofLeases,
  ...["renew", "reap", "register", "retry", "skip"],
  ...unguardedClaims.map(({ name }) => name),
]
/** Whatever takes a lock. */
const locking: Readonly<Record<Schema, readonly string[]>> = {
  raw: [
    ...ofBoth,
    ...["open intent", "roll raw back", "record head", "record finality", "take head post", "assert head post"],
  ],
  app: [...ofBoth, "derive", "roll app back", "reopen", "copy coverage"],
}
/** Their first statement asks for an advisory lock: whoever waits there has its turn, on any server. */
const queued: Readonly<Record<Schema, readonly string[]>> = {
  raw: ["claim", "claim group", "skip", "roll raw back"],
  app: ["claim", "claim group", "skip", "commit", "roll app back", "reopen"],
}

/** Two of these do not wait for each other on Postgres; the model gives a row that is locked FOR SHARE to one at a time. */
const shares = "assert head post"

export interface Meeting {
  readonly schema: Schema
  readonly seed: number
  readonly before: readonly Operation[]
  readonly atOnce: readonly (Operation & Course)[]
}

/** Two operations, of which the first stops after so many statements. */
export interface Pair {
  readonly names: readonly [string, string]
  readonly statements: number
}

/** What a commit holds changes with each of its statements, and few of all draws meet the one that matters. */
export const closePairs: readonly Pair[] = (
  [
    ["commit", "register"],
    ["commit", "renew"],
    ["commit", "reap"],
    ["commit", "claim that sees no leases"],
    ["renew", "claim that sees no leases"],
  ] as const
).flatMap((names) => Array.from({ length: statementsMost }, (_, at): Pair => ({ names, statements: at + 1 })))

/** A commit with rows and folds has more statements. */
const statementsOfDeriving = 11

/** Rows of states that both fold into, and rows of blocks that one takes back while the other writes them. */
export const derivingPairs: readonly Pair[] = (
  [
    ["derive", "derive"],
    ["derive", "roll app back"],
    ["roll app back", "derive"],
    ["reopen", "derive"],
  ] as const
).flatMap((names) => Array.from({ length: statementsOfDeriving }, (_, at): Pair => ({ names, statements: at + 1 })))

/** Of any two or three, unless a pair is given. */
export function drawMeeting(seed: number, pair?: Pair): Meeting {
  const schema: Schema = seed % 2 === 0 ? "raw" : "app"
  const random = new SimRandom(seed * 104_729 + 7)
  const draw = (names: readonly string[]): Operation => {
    const name = random.pick(names)
    const unguarded = unguardedClaims.find((claim) => claim.name === name)
    if (unguarded) return unguarded
    for (;;) {
      const operation = drawOperation(random, schema)
      if (operation.name === name) return operation
    }
  }
  const isOfDeriving = pair?.names.includes("derive") ?? false
  const ofSchema = schema === "raw" ? ["open intent", "take head post"] : ["claim worker", "derive"]
  const before = isOfDeriving
    ? Array.from({ length: claimsBefore }, () => draw(["claim worker"]))
    : [
        draw(["claim", "claim group"]),
        ...Array.from({ length: pair ? 0 : operationsBefore }, () => draw([...ofLeases, "pass time", ...ofSchema])),
      ]
  const end = (): Course["end"] => (random.chance(0.7) ? "commit" : "rollback")
  const statements = pair?.statements ?? random.between(1, statementsMost)
  const first = { ...draw(pair ? [pair.names[0]] : locking[schema]), statements, end: end() }
  if (pair || random.chance(0.7)) {
    const names = pair ? [pair.names[1]] : locking[schema]
    const second = draw(names.filter((name) => name !== shares || first.name !== shares))
    const course = { statements: Number.POSITIVE_INFINITY, end: "commit" } as const
    return { schema, seed, before, atOnce: [first, { ...second, ...course }] }
  }
  const inTurn = (): Operation & Course => ({
    ...draw(queued[schema]),
    ...{ statements: 1, end: end() },
  })
  return { schema, seed, before, atOnce: [first, inTurn(), inTurn()] }
}
