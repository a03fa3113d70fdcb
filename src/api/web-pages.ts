// The built pages, held in memory with their compressed forms: what is not in this map is not there, whatever a path says.

import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { extname, join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"

export interface PageFile {
  readonly type: string
  readonly etag: string
  /** Its name changes with its content. */
  readonly isImmutable: boolean
  readonly plain: Buffer
  readonly br?: Buffer
  readonly gzip?: Buffer
}

/** By path, such as `/index.html`. Empty in a checkout whose pages were not built. */
export type WebPages = ReadonlyMap<string, PageFile>

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
}

/** Two folders above this file, in the sources and in the program. */
const builtPages = fileURLToPath(new URL("../../dist/web/", import.meta.url))

export async function loadWebPages(directory = builtPages): Promise<WebPages> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  const contents = new Map<string, Buffer>()
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    contents.set(`/${relative(directory, path).split(sep).join("/")}`, await readFile(path))
  }
  const files = [...contents].flatMap(([path, plain]): [string, PageFile][] => {
    const type = types[extname(path)]
    const [br, gzip] = [contents.get(`${path}.br`), contents.get(`${path}.gz`)]
    const etag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`
    const isImmutable = path.startsWith("/assets/")
    return type ? [[path, { type, etag, isImmutable, plain, ...(br && { br }), ...(gzip && { gzip }) }]] : []
  })
  return new Map(files)
}
