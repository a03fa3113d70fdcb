// GraphQL over one chain: its schema, read from its databases and kept for a moment, and the operations over it.

import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  parse,
  separateOperations,
  validate,
} from "graphql"
import { rawIngester } from "../../coordination/raw-ingester.js"
import { intersect, watermarkEnd } from "../../domain/range-set.js"
import { sqlStateOf } from "../../postgres/postgres-error.js"
import type { Queryable } from "../../postgres/transaction.js"
import { type AnswerScope, readScope, type Store } from "../answer-scope.js"
import { RequestError } from "../request-error.js"
import type { ServedChain } from "../served-chain.js"
import { waitForHeight } from "../wait-for-height.js"
import { buildSchema } from "./build-schema.js"
import { documentErrors } from "./document-errors.js"
import { GraphOperation } from "./graph-operation.js"
import type { GraphFamily, GraphTable } from "./graph-table.js"
import { operationCost } from "./operation-cost.js"
import { assertLimits, fragmentsOf, operationLimits, tooComplex } from "./operation-limits.js"
import { OperationSlots } from "./operation-slots.js"
import { type OperationPlan, planOperation } from "./plan-operation.js"
import { graphTables, readStoredIndexes } from "./read-graph-tables.js"
import { tableNames } from "./table-names.js"
import { tableRelations } from "./table-relations.js"

export interface GraphRequest {
  readonly query: string
  readonly operationName: string | undefined
  readonly variables: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
}

interface KnownSchema {
  readonly text: string
  readonly tables: readonly GraphTable[]
  readonly schema: GraphQLSchema
}

interface ReadyOperation {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly variables: Readonly<Record<string, unknown>>
  readonly plan: OperationPlan
}

const schemaFreshMs = 2_000
/** No such table or column. */
const changedSchema = ["42P01", "42703"]
const tries = 20
const againMs = 100

export class ChainGraph {
  private known: KnownSchema | undefined
  private readAt = Number.NEGATIVE_INFINITY
  private readonly slots: OperationSlots

  constructor(
    private readonly chain: ServedChain,
    private readonly family: GraphFamily,
    { operations }: { operations: number },
  ) {
    this.slots = new OperationSlots(operations)
  }

  /** Errors in the document are part of the result; a refusal of the whole operation is thrown. */
  async run(request: GraphRequest): Promise<ExecutionResult> {
    try {
      return await this.answer(request)
    } catch (error) {
      if (!changedSchema.includes(sqlStateOf(error) ?? "")) throw error
      this.readAt = Number.NEGATIVE_INFINITY
      throw new RequestError("SCHEMA_CHANGED", "tables of this chain have changed: ask again")
    }
  }

  private async answer(request: GraphRequest): Promise<ExecutionResult> {
    const ready = await this.prepare(request)
    if ("errors" in ready) return ready
    const { plan } = ready
    for (const store of plan.stores) {
      const workers = plan.workers[store]
      const wait = { minHeight: plan.waitFor, minBlockHash: undefined, signal: request.signal }
      await waitForHeight(this.chain, { store, workers }, wait)
    }
    if (plan.stores.length === 0) return execute({ schema: ready.schema, document: ready.document })
    return this.slots.run(() => this.execute(ready))
  }

  private async read(): Promise<KnownSchema> {
    const { clock, registry } = this.chain
    if (this.known && clock.monotonic() - this.readAt < schemaFreshMs) return this.known
    const stored = await this.chain.read("app", async (tx) => ({
      registry: await registry.read(tx),
      app: await readStoredIndexes(tx, "app"),
    }))
    const raw = await this.chain.read("raw", (tx) => readStoredIndexes(tx, "raw"))
    const indexes = { raw, app: stored.app }
    const tables = graphTables({ registry: stored.registry, indexes }, this.family.tables)
    const text = JSON.stringify(tables.map((table) => ({ ...table, columns: [...table.columns.values()] })))
    if (this.known?.text !== text) {
      const names = tableNames(tables)
      const relations = tableRelations(tables, { registry: stored.registry, places: this.family.places, names })
      this.known = { text, tables, schema: buildSchema({ ...this.family, tables, names, relations }) }
    }
    this.readAt = clock.monotonic()
    return this.known
  }

  private async prepare(request: GraphRequest): Promise<ReadyOperation | { errors: readonly GraphQLError[] }> {
    const document = parsed(request.query)
    if (document instanceof GraphQLError) return documentErrors("GRAPHQL_PARSE_FAILED", [document])
    assertLimits(document)
    if (document.definitions.some((one) => one.kind === Kind.OPERATION_DEFINITION && one.operation !== "query"))
      throw new RequestError("OPERATION_NOT_SUPPORTED", "there are queries only: /v1/stream tells what happens")
    const { schema, tables } = await this.read()
    const errors = validate(schema, document, undefined, { maxErrors: 10 })
    if (errors.length > 0) return documentErrors("GRAPHQL_VALIDATION_FAILED", errors)
    const operation = getOperationAST(document, request.operationName)
    if (!operation) {
      const message = request.operationName === undefined ? "name one of the operations" : "there is no such operation"
      return documentErrors("BAD_USER_INPUT", [new GraphQLError(message)])
    }
    const single = separateOperations(document)[operation.name?.value ?? ""]!
    const { coerced, errors: wrong } = getVariableValues(
      schema,
      operation.variableDefinitions ?? [],
      request.variables,
      {
        maxErrors: 10,
      },
    )
    if (!coerced) return documentErrors("BAD_USER_INPUT", wrong!)
    const cost = operationCost(schema, { operation, fragments: fragmentsOf(document), variables: coerced })
    if (cost > operationLimits.cost)
      throw tooComplex(`this may read ${cost} rows, more than ${operationLimits.cost}: ask for fewer with first`)
    const plan = planOperation({ schema, tables, rawWorker: rawIngester }, { document: single, variables: coerced })
    return { schema, document: single, variables: request.variables, plan }
  }

  private async execute({ schema, document, variables, plan }: ReadyOperation): Promise<ExecutionResult> {
    const { head } = await this.chain.head()
    const cursors = await this.chain.cursors()
    for (let attempt = 0; attempt < tries; attempt++) {
      const result = await this.chain.readTogether(plan.stores, async (snapshots) => {
        const scopes = await this.scopes(snapshots, plan)
        const epochs = new Set(Object.values(scopes).map(({ epoch }) => epoch))
        // A rollback reaches raw first: the two stores do not show the same chain.
        if (epochs.size > 1) return undefined
        const operation = new GraphOperation({
          ...{ chain: this.chain.name, head, cursors, clock: this.chain.clock, snapshots, scopes },
          scope: together(Object.values(scopes)),
          workers: plan.workers,
        })
        const answer = await execute({ schema, document, contextValue: operation, variableValues: variables })
        if (operation.failure) throw operation.failure.error
        return answer
      })
      if (result) return result
      await this.chain.clock.sleep(againMs)
    }
    throw new RequestError("ROLLBACK_IN_PROGRESS", "a rollback is being finished: ask again")
  }

  /** App before raw, so that raw has every block that app has derived. */
  private async scopes(
    snapshots: Readonly<Record<Store, Queryable>>,
    { stores, workers }: OperationPlan,
  ): Promise<Partial<Record<Store, AnswerScope>>> {
    const scopes: Partial<Record<Store, AnswerScope>> = {}
    for (const store of stores) {
      const scope = await readScope(snapshots[store], { store, workers: workers[store] })
      if (!scope) throw new RequestError("NOT_FOUND", `the store of ${this.chain.name} is empty`)
      scopes[store] = scope
    }
    return scopes
  }
}

function parsed(query: string): DocumentNode | GraphQLError {
  try {
    return parse(query, { maxTokens: operationLimits.tokens })
  } catch (error) {
    if (error instanceof GraphQLError) return error
    throw error
  }
}

/** What all of them cover. */
function together(scopes: readonly AnswerScope[]): AnswerScope {
  return scopes.reduce((a, b) => {
    const done = intersect(a.done, b.done)
    const end = watermarkEnd(done, a.start)
    return {
      ...{ epoch: a.epoch, start: a.start, covered: intersect(a.covered, b.covered), done },
      ...{ watermark: end > a.start ? end - 1 : null, isKnown: a.isKnown && b.isKnown },
      isEven: a.isEven && b.isEven,
    }
  })
}
