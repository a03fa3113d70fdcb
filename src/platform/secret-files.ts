// Variables that hold secrets may be given as files: DB_RAW_URL_FILE instead of DB_RAW_URL. An orchestrator mounts its
// secrets as files; a variable shows in `docker inspect`, in crash reports and in every child. No message shows what a
// file has.

import { readFileSync } from "node:fs"
import { describeError, IndexerError } from "./errors.js"

type Environment = Readonly<Record<string, string | undefined>>

const databaseUrls = ["DB_RAW_URL", "DB_APP_URL", "DB_RAW_READ_URL", "DB_APP_READ_URL"] as const
/** Their files may have an entry on each line. */
const lists = ["RPC_URL", "RPC_HEADERS"] as const

/** ADMIN_TOKEN_FILE and API_KEYS_FILE are settings of their own, for the config file too. */
export const secretVariables: readonly string[] = [...databaseUrls, ...lists]

/** The environment with what the files have in place of their names. Throws CONFIG_INVALID. */
export function readSecretFiles(env: Environment): Environment {
  const read = secretVariables.flatMap((name) => {
    const path = env[`${name}_FILE`]
    if (!path) return []
    if (env[name]) throw invalid(`${name} and ${name}_FILE are both set: set one of them`)
    return [[name, secretOf(name, path)] as const]
  })
  return { ...env, ...Object.fromEntries(read) }
}

function secretOf(name: string, path: string): string {
  let content: string
  try {
    content = readFileSync(path, "utf8").trim()
  } catch (cause) {
    throw invalid(`${name}_FILE cannot be read (${describeError(cause)})`, cause)
  }
  if (content === "") throw invalid(`the file of ${name}_FILE is empty`)
  // Headers as JSON.
  if (content.startsWith("{")) return content
  const lines = content
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
  const isList = lists.some((list) => list === name)
  if (lines.length === 1 || (isList && lines.length > 0)) return lines.join(",")
  throw invalid(`the file of ${name}_FILE must have one line`)
}

const invalid = (message: string, cause?: unknown): IndexerError =>
  new IndexerError("CONFIG_INVALID", message, { cause })
