// Looks into a raw store with plain SQL, beside the product and without its code. Connects anew when the server was away.

import pg from "pg"

export interface LeaseFacts {
  readonly id: string
  readonly from: number
  readonly to: number
  readonly status: "ACTIVE" | "COMPLETED" | "FAILED" | "DEAD"
  readonly attempt: number
  readonly leasedBy: string | null
  readonly backendPid: number | null
  readonly code: string | null
  readonly error: string | null
}

export class StoreProbe {
  readonly #url: string
  #client: Promise<pg.Client> | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(url: string) {
    this.#url = url
  }

  /** One after the other: the driver will not take a second query while it has one. */
  async rows<Row extends pg.QueryResultRow>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
    const query = this.#last.then(async () => {
      this.#client ??= this.#connect()
      const client = await this.#client
      return (await client.query<Row>(sql, [...params])).rows
    })
    this.#last = query.catch(() => undefined)
    return query
  }

  /** A connection of its own, for locks that a test holds. */
  async session(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.#url })
    client.on("error", () => undefined)
    await client.connect()
    return client
  }

  /** The multirange as text: "{}" where the store is not made yet. */
  async coverage(): Promise<string> {
    const [row] = await this.rows<{ heights: string }>("select heights::text as heights from raw.coverage")
    return row?.heights ?? "{}"
  }

  async hashAt(height: number): Promise<string | undefined> {
    const [row] = await this.rows<{ hash: Buffer }>("select hash from raw.blocks where height = $1", [height])
    return row && `0x${row.hash.toString("hex")}`
  }

  /** Why ingestion halts, if it does. */
  async halt(): Promise<string | undefined> {
    const [row] = await this.rows<{ halt_reason: string }>(
      "select halt_reason from raw.chain_state where halted_at is not null",
    )
    return row?.halt_reason
  }

  /** Where the stretch from block 0 ends, exclusive. */
  async watermarkEnd(): Promise<number> {
    return Number(/^\{\[0,(\d+)\)/.exec(await this.coverage())?.[1] ?? 0)
  }

  async storedBlocks(): Promise<number> {
    const [row] = await this.rows<{ n: string }>(
      "select coalesce(sum(upper(part) - lower(part)), 0) as n from raw.coverage, unnest(heights) as part",
    )
    return Number(row!.n)
  }

  /** All of them, finished ones too, lowest first. */
  async leases(): Promise<LeaseFacts[]> {
    return this.rows<LeaseFacts>(
      `select id, from_height::int4 as from, to_height::int4 as to, status, attempt, leased_by as "leasedBy",
         backend_pid as "backendPid", last_error_code as code, last_error as error
       from raw.worker_leases order by from_height, id`,
    )
  }

  async unfinished(): Promise<LeaseFacts[]> {
    return (await this.leases()).filter(({ status }) => status !== "COMPLETED")
  }

  /** Stored heights whose parent hash is not the hash of the block stored below them. */
  async brokenLinks(): Promise<number[]> {
    const rows = await this.rows<{ height: string }>(
      `select child.height from raw.blocks as child
       join raw.blocks as parent on parent.height = child.height - 1
       where child.parent_hash is distinct from parent.hash order by 1`,
    )
    return rows.map(({ height }) => Number(height))
  }

  /** Heights stored under another hash than `hashAt` gives: blocks that are not the honest chain's. */
  async foreignBlocks(hashAt: (height: number) => string): Promise<number[]> {
    const rows = await this.rows<{ height: string; hash: string }>(
      "select height, '0x' || encode(hash, 'hex') as hash from raw.blocks order by height",
    )
    return rows.filter(({ height, hash }) => hashAt(Number(height)) !== hash).map(({ height }) => Number(height))
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined)
    await client?.end().catch(() => undefined)
  }

  #connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.#url, application_name: "probe" })
    const forget = () => {
      this.#client = undefined
    }
    client.on("error", forget)
    client.on("end", forget)
    const connected = client.connect().then(() => client)
    connected.catch(forget)
    return connected
  }
}
