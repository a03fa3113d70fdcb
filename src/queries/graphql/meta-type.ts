// `_meta`: how far the answer is complete, from the snapshots of its rows.

import { GraphQLBoolean, GraphQLList, GraphQLNonNull, GraphQLObjectType, GraphQLString } from "graphql"
import { intersect, rangeSet } from "../../domain/range-set.js"
import { askedHeights, rangesJson, readScope, type Store, scopeMeta } from "../answer-scope.js"
import type { GraphOperation } from "./graph-operation.js"
import { BigIntText, Bytes, scalarOf } from "./graph-scalars.js"

const required = GraphQLNonNull
const range = new GraphQLObjectType({
  name: "HeightRange",
  description: "Half-open: `from` is included, `to` is not.",
  fields: { from: { type: new required(BigIntText) }, to: { type: new required(BigIntText) } },
})
const ranges = new required(new GraphQLList(new required(range)))

const metaBlock = new GraphQLObjectType({
  name: "MetaBlock",
  fields: {
    number: { type: new required(BigIntText) },
    hash: { type: new required(Bytes) },
    timestamp: { type: new required(scalarOf.timestamp) },
  },
})

const metaWorker = new GraphQLObjectType({
  name: "MetaWorker",
  fields: { name: { type: new required(GraphQLString) }, watermark: { type: BigIntText }, coverage: { type: ranges } },
})

/** Its source is the operation. */
export const metaType = new GraphQLObjectType<GraphOperation>({
  name: "Meta",
  fields: {
    chain: { type: new required(GraphQLString), resolve: ({ options }) => options.chain },
    block: {
      type: metaBlock,
      description: "The block at the watermark; null while the first block is missing.",
      extensions: { stores: ["raw"] satisfies Store[] },
      resolve: readBlock,
    },
    watermark: {
      type: BigIntText,
      description: "Up to here every required worker is complete from the start of the chain.",
      resolve: (operation) => metaOf(operation).data_watermark,
    },
    coverage: {
      type: ranges,
      description: "The heights that every required worker has. No row outside of them is shown.",
      resolve: (operation) => metaOf(operation).coverage,
    },
    gaps: {
      type: ranges,
      description: "Heights up to the chain's head that are missing.",
      resolve: (operation) => metaOf(operation).gaps,
    },
    partial: {
      type: new required(GraphQLBoolean),
      description: "Whether there are gaps.",
      resolve: (operation) => metaOf(operation).partial,
    },
    requiredWorkers: {
      type: new required(new GraphQLList(new required(GraphQLString))),
      description: "The workers whose tables this operation reads, and those that they read.",
      resolve: ({ workers }) => workers,
    },
    workers: {
      type: new required(new GraphQLList(new required(metaWorker))),
      description: "Each of them by itself. A table of state is as of its own worker.",
      resolve: readWorkers,
    },
  },
})

const metaOf = ({ options: { scope, head } }: GraphOperation) => scopeMeta(scope, askedHeights(scope, { head }))

async function readBlock(operation: GraphOperation) {
  const { watermark } = operation.options.scope
  if (watermark === null) return null
  const { rows } = await operation.read({ store: "raw" }, (tx) =>
    tx.query("select height as number, hash, timestamp from raw.blocks where height = $1", [watermark]),
  )
  return rows[0]
}

async function readWorkers(operation: GraphOperation) {
  const { scopes, workers, scope, head } = operation.options
  const shown = rangeSet([askedHeights(scope, { head })])
  const stores = (Object.keys(scopes) as Store[]).filter((store) => scopes[store])
  const read = stores.flatMap((store) =>
    workers[store].map((name) =>
      operation.read({ store }, async (tx) => ({ name, scope: await readScope(tx, { store, workers: [name] }) })),
    ),
  )
  return (await Promise.all(read))
    .filter((one) => one.scope?.isKnown)
    .map(({ name, scope: own }) => ({
      name,
      watermark: own!.watermark,
      coverage: rangesJson(intersect(own!.covered, shown)),
    }))
}
