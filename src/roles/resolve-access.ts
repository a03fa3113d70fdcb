// Who may do what over HTTP, as the settings say: tokens and keys from variables or files, and what is public. What would
// be unsafe is refused at start.

import { readFileSync } from "node:fs"
import { isIP } from "node:net"
import type { Access, ApiKey } from "../api/access.js"
import { describeError, IndexerError } from "../platform/errors.js"
import type { ProcessSettings } from "../platform/settings.js"

export type AccessSettings = Pick<
  ProcessSettings,
  "host" | "adminToken" | "adminTokenFile" | "apiKeys" | "apiKeysFile" | "ops" | "trustProxy"
>

const keyPattern = /^([a-z0-9_-]+):([^\s,:]{16,})$/
const shortestSecret = 16
const proxyNames = ["loopback", "linklocal", "uniquelocal"]

/** Throws CONFIG_INVALID. */
export function resolveAccess(settings: AccessSettings): Access {
  const { host, adminToken: given, adminTokenFile, apiKeys, apiKeysFile, ops, trustProxy } = settings
  if (given !== undefined && adminTokenFile !== undefined)
    throw invalid("ADMIN_TOKEN and ADMIN_TOKEN_FILE are both set: set one of them")
  if (apiKeys !== undefined && apiKeysFile !== undefined)
    throw invalid("API_KEYS and API_KEYS_FILE are both set: set one of them")
  const adminToken = adminTokenFile === undefined ? given : readToken(adminTokenFile)
  const isLocal = isLoopback(host)
  if (!isLocal && adminToken !== undefined && adminToken.length < shortestSecret) {
    throw invalid(
      `the admin token has fewer than ${shortestSecret} characters, and HOST=${host} can be reached from other machines: ` +
        "use a longer one, such as `openssl rand -hex 32` makes",
    )
  }
  const keyLines = apiKeysFile === undefined ? (apiKeys ?? "").split(",") : readSecret("API_KEYS_FILE", apiKeysFile)
  return {
    adminToken,
    opsIsPublic: ops === "auto" ? isLocal : ops === "public",
    apiKeys: parseKeys(keyLines, apiKeysFile === undefined ? "API_KEYS" : "API_KEYS_FILE"),
    trustedProxies: (trustProxy ?? "").split(",").filter(Boolean).map(proxy),
  }
}

/** 127.0.0.0/8, ::1 and localhost. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|::1|\[::1\]|127(\.\d{1,3}){3}|::ffff:127(\.\d{1,3}){3})$/i.test(host)

function readToken(path: string): string {
  const lines = readSecret("ADMIN_TOKEN_FILE", path)
  if (lines.length === 1 && /^\S+$/.test(lines[0]!)) return lines[0]!
  throw invalid("the file of ADMIN_TOKEN_FILE must have one line with the token")
}

/** Its lines, without empty ones and those that begin with #. */
function readSecret(name: string, path: string): string[] {
  let content: string
  try {
    content = readFileSync(path, "utf8")
  } catch (cause) {
    throw invalid(`${name} cannot be read (${describeError(cause)})`, cause)
  }
  return content
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
}

function parseKeys(lines: readonly string[], name: string): readonly ApiKey[] {
  const entries = lines.flatMap((line) => line.split(",")).map((entry) => entry.trim())
  return entries
    .filter((entry) => entry !== "")
    .map((entry) => {
      const [, owner, key] = keyPattern.exec(entry) ?? []
      if (owner !== undefined && key !== undefined) return { name: owner, key }
      throw invalid(`${name} has an entry that is not name:key, the key of at least ${shortestSecret} characters`)
    })
}

function proxy(text: string): string {
  const [address = "", bits] = text.split("/")
  const family = isIP(address)
  const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
  if (proxyNames.includes(text) || (family !== 0 && fits)) return text
  throw invalid(
    `TRUST_PROXY has ${JSON.stringify(text)}, which is no address, network or one of ${proxyNames.join(", ")}`,
  )
}

const invalid = (message: string, cause?: unknown): IndexerError =>
  new IndexerError("CONFIG_INVALID", message, { cause })
