// Certificates for servers of tests: ca.crt, server.crt with its server.key, and other.crt of an authority nobody uses.

import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)
const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

export async function makeCertificates(directory: string, hosts: readonly string[]): Promise<void> {
  const openssl = (...args: string[]) => run("openssl", args, { cwd: directory })
  for (const name of ["ca", "other"])
    await openssl("req", "-x509", ...ec, "-keyout", `${name}.key`, "-out", `${name}.crt`, "-subj", `/CN=${name}`)
  await openssl("req", ...ec, "-keyout", "server.key", "-out", "server.csr", "-subj", `/CN=${hosts[0]}`)
  await writeFile(join(directory, "san"), `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(",")}`)
  const signing = ["-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "san"]
  await openssl("x509", "-req", "-in", "server.csr", "-out", "server.crt", ...signing)
}
