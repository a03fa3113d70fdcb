// What operators do to blocks and workers.

import { Type } from "typebox"
import { rawIngester } from "../coordination/raw-ingester.js"
import { type DeadFilter, findDeadBlocks } from "../operations/find-dead-blocks.js"
import type { WorkerBlock } from "../operations/operated-chain.js"
import { rederiveHeights } from "../operations/rederive-heights.js"
import { rederiveWorker } from "../operations/rederive-worker.js"
import { resolveErrors } from "../operations/resolve-errors.js"
import { retryBlock, retryDeadBlocks } from "../operations/retry-blocks.js"
import { skipBlock, skipDeadBlocks } from "../operations/skip-block.js"
import { steerWorker } from "../operations/steer-worker.js"
import { IndexerError, isIndexerError } from "../platform/errors.js"
import { RequestError } from "../queries/request-error.js"
import { codeParam, digits, faultParam, heightParam, wholeOrNull, workerParam } from "../queries/value-schemas.js"
import type { Act } from "./admin-acts.js"

const block = Type.Object({ worker: Type.String(), height: digits })
const blockJson = ({ worker, height }: WorkerBlock) => ({ worker, height: String(height) })
const worker = { worker: workerParam }
/** Of DEAD blocks in one act: each is a transaction of its own. */
const mostAtOnce = 1_000
const manyDead = {
  all_dead: Type.Optional(Type.Boolean()),
  code: Type.Optional(codeParam),
  fault: Type.Optional(faultParam),
  most: Type.Optional(Type.Integer({ minimum: 1, maximum: mostAtOnce })),
}

interface DeadBody extends DeadFilter {
  readonly height?: string
  readonly all_dead?: boolean
}

function meansMany({ height, all_dead: all = false, code, fault, most }: DeadBody): boolean {
  if ((height === undefined) !== all) throw new RequestError("BAD_REQUEST", "give either height or all_dead")
  if (!all && (code ?? fault ?? most) !== undefined)
    throw new RequestError("BAD_REQUEST", "code, fault and most go with all_dead")
  return all
}

const filterOf = ({ worker, code, fault }: DeadBody): DeadFilter => ({ worker, code, fault })
const someOf = (body: DeadBody): DeadFilter => ({ ...filterOf(body), most: body.most ?? mostAtOnce })

const reason = Type.String({ maxLength: 500 })

export const workerActs: readonly Act[] = [
  {
    path: "/leases/retry",
    summary:
      "Tries a DEAD, failed or skipped block again at once, or with all_dead up to 1,000 DEAD blocks, all or those with " +
      "a code or a fault",
    body: { worker: Type.Optional(workerParam), height: Type.Optional(heightParam), ...manyDead },
    answer: { retried: Type.Array(block), left: Type.Integer() },
    run: async (chain, { actor, body }) => {
      const { worker: name, height } = body
      if (meansMany(body)) {
        const retried = await retryDeadBlocks(chain, { actor, ...someOf(body) })
        return { retried: retried.map(blockJson), left: (await findDeadBlocks(chain, filterOf(body))).length }
      }
      const one = { worker: name ?? rawIngester, height: Number(height) }
      await retryBlock(chain, { actor, ...one })
      return { retried: [blockJson(one)], left: 0 }
    },
  },
  {
    path: "/leases/skip",
    summary:
      "Counts a DEAD block as done without its data, or with all_dead up to 1,000 of the worker's, all or those with a " +
      "code or a fault; every answer over them says so",
    body: { worker: workerParam, height: Type.Optional(heightParam), ...manyDead },
    answer: { skipped: Type.Array(block), left: Type.Integer() },
    run: async (chain, { actor, body }) => {
      const { worker: name, height } = body
      if (meansMany(body)) {
        const skipped = await skipDeadBlocks(chain, { actor, ...someOf(body) })
        return { skipped: skipped.map(blockJson), left: (await findDeadBlocks(chain, filterOf(body))).length }
      }
      const one = { worker: name, height: Number(height) }
      await skipBlock(chain, { actor, ...one })
      return { skipped: [blockJson(one)], left: 0 }
    },
  },
  {
    path: "/workers/:worker/pause",
    summary: "No more ranges of the worker are claimed; ranges in progress finish",
    params: worker,
    body: { reason: Type.Optional(reason) },
    answer: { worker: Type.String(), paused: Type.Boolean() },
    run: async (chain, { actor, params, body }) => {
      const to = { action: "pause", reason: body.reason ?? null } as const
      await steerWorker(chain, { actor, worker: params["worker"]!, to })
      return { worker: params["worker"], paused: true }
    },
  },
  {
    path: "/workers/:worker/resume",
    summary: "Ends a pause",
    params: worker,
    answer: { worker: Type.String(), paused: Type.Boolean() },
    run: async (chain, { actor, params }) => {
      await steerWorker(chain, { actor, worker: params["worker"]!, to: { action: "resume" } })
      return { worker: params["worker"], paused: false }
    },
  },
  {
    path: "/workers/:worker/concurrency",
    summary: "At most so many ranges of the worker at once, over all processes; null is no limit",
    params: worker,
    body: { concurrency: Type.Union([Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }), Type.Null()]) },
    answer: { worker: Type.String(), concurrency: wholeOrNull },
    run: async (chain, { actor, params, body: { concurrency } }) => {
      await steerWorker(chain, { actor, worker: params["worker"]!, to: { action: "concurrency", concurrency } })
      return { worker: params["worker"], concurrency }
    },
  },
  {
    path: "/workers/:worker/rederive",
    summary:
      "Derives the heights [from, to) again while processes run; without them, drops the tables of the worker and of " +
      "all that depend on it, which is refused while a process derives",
    params: worker,
    body: { from: Type.Optional(heightParam), to: Type.Optional(heightParam) },
    answer: { workers: Type.Array(Type.String()), dropped: Type.Array(Type.String()) },
    run: async (chain, { actor, params, body: { from, to } }) => {
      const name = params["worker"]!
      if ((from === undefined) !== (to === undefined)) throw new RequestError("BAD_REQUEST", "give both from and to")
      if (from !== undefined) {
        await rederiveHeights(chain, { actor, worker: name, range: { from: Number(from), to: Number(to) } })
        return { workers: [name], dropped: [] }
      }
      const { workers, tables } = await rederiveWorker(chain, { actor, worker: name }).catch((error: unknown) => {
        throw withCommand(error, `tidemark workers rederive ${name} --chain ${chain.name} --yes`)
      })
      return { workers, dropped: tables }
    },
  },
  {
    path: "/errors/resolve",
    summary:
      "Marks errors of a worker as dealt with, or with all those of every worker; one that is seen again is open again",
    body: {
      worker: Type.Optional(workerParam),
      all: Type.Optional(Type.Boolean()),
      height: Type.Optional(heightParam),
    },
    answer: { resolved: Type.Record(Type.String(), Type.Integer()) },
    run: async (chain, { actor, body: { worker: name, all = false, height } }) => {
      if ((name === undefined) !== all) throw new RequestError("BAD_REQUEST", "give either worker or all")
      const at = height === undefined ? undefined : Number(height)
      return { resolved: Object.fromEntries(await resolveErrors(chain, { actor, worker: name, height: at })) }
    },
  },
]

/** What to run where the act cannot be done while processes derive. */
function withCommand(error: unknown, command: string): unknown {
  if (!isIndexerError(error, "STILL_RUNNING")) return error
  return new IndexerError(error.code, error.message, { cause: error, data: { command } })
}
