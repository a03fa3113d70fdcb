// The workers of the simulation: an extract, a worker with a fold over its rows and rows of its own, and a fold over those.

import type { Queryable } from "../../src/postgres/transaction.js"
import { int4, int8, text } from "../../src/workers/column.js"
import { defineWorkerOf, eventTable, last, max, stateTable, sum } from "../../src/workers/define-worker.js"
import { StoredRegistry } from "../../src/workers/postgres/stored-registry.js"
import { canonicalDefinition } from "../../src/workers/worker-hash.js"
import { WorkerRegistry } from "../../src/workers/worker-registry.js"
import { type SimBlock, zeroAccount } from "./sim-chain.js"

const defineWorker = defineWorkerOf<SimBlock>()

const position = ["block_height", "event_index"] as const
const rowColumns = { block_height: int8, event_index: int4, block_hash: text }

function failIfPoisoned(block: SimBlock, worker: string): void {
  if (block.poison === worker) throw new Error(`${worker} cannot process this block`)
}

const transfersWorker = defineWorker({
  name: "sim_transfers",
  version: 1,
  tables: {
    sim_transfers: eventTable({
      columns: { ...rowColumns, sender: text, receiver: text, amount: int8 },
      key: position,
    }),
  },
  extract: ({ block, emit }) => {
    failIfPoisoned(block, "sim_transfers")
    const { transfers, isMisread } = block
    // No spread: it is slower, and a seed has hundreds of rows.
    for (let at = 0; at < transfers.length; at++) {
      const { sender, receiver, amount } = transfers[at]!
      emit.sim_transfers({
        block_height: block.height,
        event_index: at,
        block_hash: block.hash,
        sender,
        receiver,
        amount: isMisread ? amount + 1 : amount,
      })
    }
  },
})

export const holdingsWorker = defineWorker({
  name: "sim_holdings",
  version: 1,
  dependencies: ["sim_transfers"],
  reads: ["sim_transfers"],
  tables: {
    sim_moves: eventTable({
      columns: { ...rowColumns, account: text, amount: int8 },
      key: position,
    }),
    sim_holdings: stateTable({
      key: { account: text },
      columns: { balance: sum(int8), last_peer: last(text), largest: max(int8) },
      track: ["first", "last"],
      position,
      sources: [
        {
          table: "sim_transfers",
          where: { sender: { isNot: zeroAccount } },
          key: { account: "sender" },
          set: { balance: { negate: "amount" }, last_peer: "receiver", largest: "amount" },
        },
        {
          table: "sim_transfers",
          where: { receiver: { isNot: zeroAccount } },
          key: { account: "receiver" },
          set: { balance: "amount", last_peer: "sender", largest: "amount" },
        },
      ],
    }),
  },
  extract: ({ block, emit, rows }) => {
    failIfPoisoned(block, "sim_holdings")
    for (const row of rows["sim_transfers"] ?? []) {
      emit.sim_moves({
        block_height: block.height,
        event_index: row["event_index"] as number,
        block_hash: row["block_hash"] as string,
        account: row["receiver"] as string,
        amount: row["amount"] as number,
      })
    }
  },
})

export const totalsWorker = defineWorker({
  name: "sim_totals",
  version: 1,
  dependencies: ["sim_holdings"],
  tables: {
    sim_totals: stateTable({
      key: { account: text },
      columns: { moved: sum(int8), latest: last(int8) },
      track: ["last"],
      position,
      sources: [{ table: "sim_moves", key: { account: "account" }, set: { moved: "amount", latest: "amount" } }],
    }),
  },
})

const simWorkers = [transfersWorker, holdingsWorker, totalsWorker]
export const simRegistry = new WorkerRegistry(simWorkers)
export const simWorkerNames = simRegistry.workers.map(({ name }) => name)

/** As the database stores them. A rollback undoes by these. */
export const storedDefinitions = simWorkers.map((worker) => ({
  name: worker.name,
  definition: JSON.parse(JSON.stringify(canonicalDefinition(worker))) as unknown,
}))

/** Shared by all processes of all seeds, so that plans and texts are created once. */
export const storedWorkers = new StoredRegistry()

export function storedRegistry(): Promise<WorkerRegistry> {
  const rows = storedDefinitions.map((one) => ({ ...one, definition: JSON.stringify(one.definition) }))
  const sql = { query: async () => ({ rows }) } as unknown as Queryable
  return storedWorkers.read(sql)
}
