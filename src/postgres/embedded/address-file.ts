// `postgres.json` in the data directory: how other commands reach the running server. Only its owner can read it: it
// contains the password.

import { readFile, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Connection } from "../connection.js"
import { embeddedUser } from "./data-directory.js"

export interface EmbeddedAddress {
  readonly port: number
  readonly password: string
  /** The process that keeps the server running, for people. It may have ended. */
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
    // Absent, or partly written when the machine lost power: the server's own files are enough.
    if ((error as NodeJS.ErrnoException).code === "ENOENT" || error instanceof SyntaxError) return undefined
    throw error
  }
}

export async function writeAddressFile(dataDir: string, address: EmbeddedAddress): Promise<void> {
  const part = `${fileOf(dataDir)}.part-${process.pid}`
  await writeFile(part, `${JSON.stringify(address)}\n`, { mode: 0o600 })
  await rename(part, fileOf(dataDir))
}

/** Returns the URLs of this directory's embedded server; undefined when it does not answer. */
export async function readEmbeddedAddress(dataDir: string): Promise<UrlOf | undefined> {
  const address = await readAddressFile(dataDir)
  if (address === undefined) return undefined
  const url = urlMaker(address)
  try {
    const connection = await Connection.open({ url: url("postgres"), applicationName: "tidemark-probe" })
    await connection.end()
    return url
  } catch {
    // Not running, or another process uses the port now: there is nothing to join.
    return undefined
  }
}

const fileOf = (dataDir: string): string => join(dataDir, "postgres.json")
