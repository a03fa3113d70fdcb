// What the driver is given for a database URL: its TLS parameters mean what they mean to libpq and psql. The driver by
// itself takes `require` for `verify-full`, warns on standard error, and reads the certificates at each connection.

import { readFileSync } from "node:fs"
import { IndexerError } from "../platform/errors.js"
import { databaseAddress } from "./database-address.js"

/** Of the driver and of tls.connect. */
interface TlsOptions {
  readonly rejectUnauthorized?: boolean
  readonly checkServerIdentity?: () => undefined
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

export interface ConnectionTarget {
  readonly connectionString: string
  /** Left out where the URL does not say; then the driver looks at PGSSLMODE. */
  readonly ssl?: false | TlsOptions
}

const tlsParameters = ["ssl", "sslmode", "sslrootcert", "sslcert", "sslkey"]
const modes = ["disable", "require", "verify-ca", "verify-full"] as const
type Mode = (typeof modes)[number]

/** Throws CONFIG_INVALID for what would otherwise be less safe than it looks. */
export function connectionTarget(url: string): ConnectionTarget {
  const address = databaseAddress(url)
  const parsed = new URL(url)
  const given = (name: string): string | undefined => parsed.searchParams.get(name) || undefined
  if (!tlsParameters.some(given)) return { connectionString: url }
  const [rootFile, certFile, keyFile] = ["sslrootcert", "sslcert", "sslkey"].map(given)
  const read = (file: string, parameter: string): string => readCertificate(file, { parameter, address })
  const mode = modeOf({ sslmode: given("sslmode"), ssl: given("ssl"), rootFile, address })
  // The last is the driver's own switch to what is done here.
  for (const name of [...tlsParameters, "uselibpqcompat"]) parsed.searchParams.delete(name)
  const connectionString = parsed.href
  if (mode === "disable") return { connectionString, ssl: false }
  const ca = rootFile === undefined || rootFile === "system" ? undefined : read(rootFile, "sslrootcert")
  if (mode === "verify-ca" && ca === undefined)
    throw refused(address, "sslmode=verify-ca needs sslrootcert, the file of the authority's certificate")
  return {
    connectionString,
    ssl: {
      // As in libpq: `require` only encrypts, unless there is an authority to check by.
      ...(mode === "require" && ca === undefined ? { rejectUnauthorized: false } : {}),
      ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
      ...(ca === undefined ? {} : { ca }),
      ...(certFile === undefined ? {} : { cert: read(certFile, "sslcert") }),
      ...(keyFile === undefined ? {} : { key: read(keyFile, "sslkey") }),
    },
  }
}

function modeOf({
  sslmode,
  ssl,
  rootFile,
  address,
}: {
  sslmode: string | undefined
  ssl: string | undefined
  rootFile: string | undefined
  address: string
}): Mode {
  // The driver's own parameter.
  const implied =
    ssl === undefined
      ? undefined
      : ({ "0": "disable", false: "disable", "no-verify": "require" }[ssl] ?? "verify-full")
  const wanted = sslmode === "no-verify" ? "require" : (sslmode ?? implied ?? (rootFile ? "verify-full" : "require"))
  const mode = modes.find((one) => one === wanted)
  if (mode === undefined) {
    const why = ["prefer", "allow"].includes(wanted)
      ? ": it would go on without encryption where the server has none"
      : ""
    throw refused(address, `sslmode=${wanted} is not supported${why}; use ${modes.join(", ")}`)
  }
  if (rootFile === "system" && mode !== "verify-full")
    throw refused(
      address,
      "sslrootcert=system needs sslmode=verify-full: anybody can have a certificate of such an authority",
    )
  return mode
}

function readCertificate(file: string, { parameter, address }: { parameter: string; address: string }): string {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw refused(address, `${parameter}=${file} cannot be read (${code})`)
  }
}

const refused = (address: string, what: string): IndexerError =>
  new IndexerError("CONFIG_INVALID", `The URL of the database ${address}: ${what}.`)
