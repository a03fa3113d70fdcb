// What a scenario plays in: servers, nodes and stages that are all ended afterwards. Where it failed, its databases stay.

import assert from "node:assert/strict"
import type { StatsSnapshot } from "../../test/chain/server-stats.js"
import { type SpawnChainServerOptions, spawnChainServer } from "../../test/support/chain-server.js"
import {
  type PrivatePostgres,
  type PrivatePostgresOptions,
  startPrivatePostgres,
} from "../../test/support/private-postgres.js"
import { ReplicatedPostgres } from "../../test/support/replicated-postgres.js"
import { patienceMs } from "../../test/support/wait-until.js"
import { EndsWhatItStarted } from "./ends-what-it-started.js"
import { Sampler } from "./sampler.js"
import type { Profile } from "./scenario.js"
import { Stage, type StageOptions } from "./stage.js"

export interface SceneOptions {
  readonly profile: Profile
  readonly count: number
  readonly seed: number
  /** No undisturbed process is run to compare with. */
  readonly checkerOnly?: boolean
  readonly say: (text: string) => void
}

type Counted = "samples" | "answers" | "workerAnswers" | "windows"

export interface Node {
  readonly url: string
  stats(): Promise<StatsSnapshot>
}

export class Scene extends EndsWhatItStarted {
  readonly profile: Profile
  readonly count: number
  readonly seed: number
  readonly say: SceneOptions["say"]
  readonly #checkerOnly: boolean
  readonly #stages: Stage[] = []
  readonly #samplers: Sampler[] = []
  #mustAnswer = false
  readonly #servers: PrivatePostgres[] = []
  readonly #clusters: ReplicatedPostgres[] = []

  constructor(options: SceneOptions) {
    super()
    this.profile = options.profile
    this.count = options.count
    this.seed = options.seed
    this.say = options.say
    this.#checkerOnly = options.checkerOnly ?? false
  }

  get isQuick(): boolean {
    return this.profile === "quick"
  }

  async postgres(options: PrivatePostgresOptions = {}): Promise<PrivatePostgres> {
    const server = await startPrivatePostgres(options)
    this.#servers.push(server)
    return server
  }

  /** A server with a standby. */
  async cluster(options: { synchronous: boolean }): Promise<ReplicatedPostgres> {
    const cluster = await ReplicatedPostgres.start(options)
    this.#clusters.push(cluster)
    return cluster
  }

  /** A node in a process of its own, which has made all its blocks: that is not the time of whoever indexes them. */
  async node(options: SpawnChainServerOptions): Promise<Node> {
    const node = await spawnChainServer({
      ...{ transactionsPerBlock: 5, logsPerBlock: 6, holders: this.isQuick ? 200 : 2_000 },
      ...options,
    })
    this.ending(() => node.stop())
    const asked = { jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["latest", false] }
    const { ok } = await fetch(node.url, { method: "POST", body: JSON.stringify(asked) })
    assert.ok(ok, "the node does not answer")
    return node
  }

  /**
   * losesCommits: the fault itself does, so that what was done may be undone without a rollback, and no answer is compared.
   * shortLived: processes end before anybody can count on an answer.
   */
  async stage(options: StageOptions, { losesCommits = false, shortLived = false } = {}): Promise<Stage> {
    const stage = await Stage.open({ ...options, checkerOnly: this.#checkerOnly })
    this.#stages.push(stage)
    // Where nobody lives for long, nobody is there to end a lease in time.
    const patience = shortLived ? { staleAfterMs: patienceMs } : {}
    const sampler = new Sampler(stage, {
      ...{ mayFall: losesCommits, derivedMayFall: stage.appLosesCommits },
      ...patience,
    })
    this.#samplers.push(sampler)
    this.#mustAnswer ||= !losesCommits && !shortLived
    stage.ending(() => sampler.stop())
    return stage
  }

  /** What looks met that must not be. */
  get violations(): string[] {
    return this.#samplers.flatMap(({ violations }) => violations)
  }

  /** How often the stores were looked at. Throws where a look met what must not be, and where nobody looked: that would show nothing. */
  sampled(): Record<Counted, number> {
    assert.deepEqual(this.violations, [])
    const sum = (of: Counted): number => this.#samplers.reduce((total, sampler) => total + sampler[of], 0)
    for (const { samples, problem } of this.#samplers)
      assert.ok(samples > 0, `a store was never looked at: ${problem}`)
    assert.ok(!this.#mustAnswer || sum("answers") > 0, "no answer of a process was ever compared")
    return {
      ...{ samples: sum("samples"), answers: sum("answers") },
      ...{ workerAnswers: sum("workerAnswers"), windows: sum("windows") },
    }
  }

  /** Ends everything. Returns the directories of the servers that were kept. */
  async close({ keep }: { keep: boolean }): Promise<string[]> {
    for (const stage of this.#stages.splice(0)) await stage.close()
    const [servers, clusters] = [this.#servers.splice(0), this.#clusters.splice(0)]
    for (const server of servers) await (keep ? server.stop("fast") : server.remove())
    for (const cluster of clusters) await cluster.close({ keep })
    await this.end()
    if (!keep) return []
    return [...servers.map(({ directory }) => directory), ...clusters.flatMap(({ directories }) => directories)]
  }
}
