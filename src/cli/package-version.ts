// The version of this package, from its own package.json: the folders of src and of dist are equally deep.

import { readFileSync } from "node:fs"

export function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8")
  return (JSON.parse(text) as { version: string }).version
}
