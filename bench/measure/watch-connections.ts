// How many connections the product has to a database at once, at most.

import { Connection } from "../../src/postgres/connection.js"

const lookEveryMs = 100

export async function watchConnections(databaseUrl: string): Promise<{ stop(): Promise<number> }> {
  const connection = await Connection.open({ url: databaseUrl, applicationName: "bench watch" })
  let most = 0
  let looking: Promise<void> = Promise.resolve()
  const look = async (): Promise<void> => {
    const { rows } = await connection.query<{ count: number }>(
      `select count(*)::int4 as count from pg_stat_activity
        where datname = current_database() and application_name like 'tidemark %'`,
    )
    most = Math.max(most, rows[0]!.count)
  }
  const timer = setInterval(() => {
    looking = looking.then(look).catch(() => undefined)
  }, lookEveryMs)
  return {
    stop: async () => {
      clearInterval(timer)
      await looking
      await connection.end()
      return most
    },
  }
}
