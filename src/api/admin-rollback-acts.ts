// A rollback in two steps. The plan says what would go, and has a confirmation that is good for the state it was made in:
// after another rollback, a halt or another block at that height, or after ten minutes, it is void.

import { createHmac, timingSafeEqual } from "node:crypto"
import { Type } from "typebox"
import { cancelOpenRollback, planRollback, type RollbackPlan, rollbackChain } from "../operations/rollback-chain.js"
import type { Clock } from "../platform/clock.js"
import { describeError } from "../platform/errors.js"
import type { Logger } from "../platform/logger.js"
import { RequestError } from "../queries/request-error.js"
import { digits, heightParam, orNull } from "../queries/value-schemas.js"
import type { Act } from "./admin-acts.js"

export interface RollbackActDeps {
  readonly clock: Clock
  readonly logger: Logger
  /** Signs confirmations. */
  readonly adminToken: string
  readonly waitMs?: number
}

const goodForMs = 600_000
/** A client waits for an answer only so long; the rollback goes on without it. */
const defaultWaitMs = 20_000

const planAnswer = {
  to: digits,
  highest: digits,
  blocks: Type.Integer(),
  transactions: Type.Integer(),
  events: Type.Integer(),
  halt: orNull("string"),
  workers: Type.Array(Type.Object({ worker: Type.String(), blocks: Type.Integer() })),
}
const planJson = ({ to, highest, blocks, transactions, events, halt, workers }: RollbackPlan) => ({
  ...{ to: String(to), highest: String(highest), blocks, transactions, events, halt, workers },
})

export function rollbackActs({ clock, logger, adminToken, waitMs = defaultWaitMs }: RollbackActDeps): readonly Act[] {
  const signed = (chain: string, plan: RollbackPlan, at: number): string => {
    const state = JSON.stringify([chain, plan.to, plan.epoch, plan.ancestorHash, plan.halt, at])
    return `${at}.${createHmac("sha256", adminToken).update(`rollback ${state}`).digest("base64url")}`
  }
  const isGood = (given: string, chain: string, plan: RollbackPlan): boolean => {
    const at = Number(given.split(".", 1)[0])
    const [expected, actual] = [Buffer.from(signed(chain, plan, at)), Buffer.from(given)]
    const age = clock.now() - at
    return expected.length === actual.length && timingSafeEqual(expected, actual) && age >= 0 && age <= goodForMs
  }
  return [
    {
      path: "/rollback/plan",
      summary: "What a rollback to this height would remove, and the confirmation that executing it needs",
      body: { to: heightParam },
      answer: { ...planAnswer, confirmation: Type.String(), expires_in_ms: Type.Integer() },
      run: async (chain, { body: { to } }) => {
        const plan = await planRollback(chain, { to: Number(to) })
        return { ...planJson(plan), confirmation: signed(chain.name, plan, clock.now()), expires_in_ms: goodForMs }
      },
    },
    {
      path: "/rollback",
      summary: "Removes all blocks above a height and what was derived from them, as planned",
      body: {
        to: heightParam,
        confirmation: Type.String({ pattern: "^[0-9]{1,15}\\.[A-Za-z0-9_-]{43}$" }),
        reason: Type.Optional(Type.String({ maxLength: 500 })),
      },
      answer: { ...planAnswer, done: Type.Boolean() },
      run: async (chain, { actor, body: { to, confirmation, reason } }) => {
        const plan = await planRollback(chain, { to: Number(to) })
        if (!isGood(confirmation, chain.name, plan)) {
          throw new RequestError(
            "CONFIRMATION_VOID",
            "the chain has changed, or the confirmation is too old: plan again",
          )
        }
        const waited = new AbortController()
        const rollback = rollbackChain(chain, { actor, plan, reason }).then(() => true)
        // Once it is recorded, the processes finish it, whoever waits.
        const late = clock.sleep(waitMs, waited.signal).then(() => false)
        const done = await Promise.race([rollback, late]).finally(() => waited.abort())
        if (!done)
          rollback.catch((error) => logger.warn({ error: describeError(error) }, "a rollback was not finished here"))
        return { ...planJson(plan), done }
      },
    },
    {
      path: "/rollback/cancel",
      summary: "Cancels the open rollback, if neither database has acted on it",
      answer: { id: Type.String(), from: digits, reason: orNull("string"), cancelled: Type.Boolean() },
      run: async (chain, { actor }) => {
        const { id, from, reason } = await cancelOpenRollback(chain, { actor, apply: true })
        return { id, from: String(from), reason, cancelled: true }
      },
    },
  ]
}
