// The product that serves the pages of a store, as a process of its own.

import { runTidemark, type TidemarkProcess } from "../../test/support/tidemark-process.js"
import { onStop } from "./stop-all.js"

export interface ServedPages {
  readonly process: TidemarkProcess
  readonly url: string
  /** The name of its one chain. */
  readonly chain: string
}

interface ServePagesOptions {
  readonly databaseUrl: string
  readonly rpc: string
  /** All of them unless given. */
  readonly roles?: string
}

export async function servePages({ databaseUrl, rpc, roles }: ServePagesOptions): Promise<ServedPages> {
  const args = ["start", "--rpc", rpc, "--start-block", "0", ...(roles ? ["--roles", roles] : [])]
  const process = runTidemark(args, { env: { DB_RAW_URL: databaseUrl, PORT: "0" } })
  onStop(async () => void (await process.end("SIGKILL")))
  const line = (await process.line(({ msg }) => msg.startsWith("running"))) as unknown as { url: string }
  const { data } = (await (await fetch(`${line.url}/v1/chains`)).json()) as { data: readonly { chain: string }[] }
  return { process, url: line.url, chain: data[0]!.chain }
}
