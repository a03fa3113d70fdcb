// `postgres.json` in the data directory: how other commands reach the running server. Readable by its owner only, for it
// holds the password.

import { readFile, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Connection } from "../connection.js"
import { embeddedUser } from "./data-directory.js"

export interface EmbeddedAddress {
  readonly port: number
  readonly password: string
  /** The process that keeps the server running. For people: it may be gone. */
  readonly ownerPid: number
}

export type UrlOf = (database: string) => string

export const urlMaker =
  ({ port, password }: { readonly port: number; readonly password: string }): UrlOf =>
  (database) =>
    `postgres://${embeddedUser}:${encodeURIComponent(password)}@127.0.0.1:${port}/${encodeURIComponent(database)}`

export async function readAddressFile(dataDir: string): Promise<EmbeddedAddress | undefined> {
  try {
    return JSON.parse(await readFile(fileOf(dataDir), "utf8")) as EmbeddedAddress
  } catch (error) {
    // Absent, or half written by a machine that lost power: the server's own files say the rest.
    if ((error as NodeJS.ErrnoException).code === "ENOENT" || error instanceof SyntaxError) return undefined
    throw error
  }
}

export async function writeAddressFile(dataDir: string, address: EmbeddedAddress): Promise<void> {
  const part = `${fileOf(dataDir)}.part-${process.pid}`
  await writeFile(part, `${JSON.stringify(address)}\n`, { mode: 0o600 })
  await rename(part, fileOf(dataDir))
}

/** Makes URLs of the embedded server of this directory; undefined when it does not answer. */
export async function readEmbeddedAddress(dataDir: string): Promise<UrlOf | undefined> {
  const address = await readAddressFile(dataDir)
  if (address === undefined) return undefined
  const url = urlMaker(address)
  try {
    const connection = await Connection.open({ url: url("postgres"), applicationName: "tidemark-probe" })
    await connection.end()
    return url
  } catch {
    // Not running, or the port is another's by now: either way there is nothing to join.
    return undefined
  }
}

const fileOf = (dataDir: string): string => join(dataDir, "postgres.json")
