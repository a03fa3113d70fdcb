// The commands of a guide, so that a procedure runs what readers copy, and all of it.

import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { asServerUser } from "./system-postgres.js"

const run = promisify(execFile)

export interface RunBlockOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** As the user that Postgres runs as. */
  readonly asServer?: boolean
}

export class Guide {
  readonly #blocks: ReadonlyMap<string, readonly string[]>
  readonly #used = new Set<string>()

  constructor(path: string) {
    const text = readFileSync(join(import.meta.dirname, "..", "..", path), "utf8")
    const sections = text.split(/^#+ (?=.*$)/m).slice(1)
    this.#blocks = new Map(
      sections.map((section) => [
        section.split("\n", 1)[0]!,
        [...section.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].map(([, code]) => code!),
      ]),
    )
  }

  /** Runs the nth block of commands below this heading, as a shell that stops at the first failure. */
  async run(heading: string, nth: number, { cwd, env, asServer = false }: RunBlockOptions): Promise<string> {
    const block = this.#blocks.get(heading)?.[nth]
    if (block === undefined) throw new Error(`the guide has no block ${nth} below "${heading}"`)
    this.#used.add(`${heading} ${nth}`)
    const shell = ["bash", "--norc", "-euo", "pipefail", "-c", block]
    const [file, ...args] = asServer ? asServerUser(shell) : shell
    const { stdout } = await run(file!, args, { cwd, env })
    return stdout
  }

  /** The blocks that no procedure has run. */
  unused(): string[] {
    const all = [...this.#blocks].flatMap(([heading, blocks]) => blocks.map((_, nth) => `${heading} ${nth}`))
    return all.filter((block) => !this.#used.has(block))
  }
}
