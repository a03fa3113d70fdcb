// A copy of the project in which sources can be changed: the checkout is never touched.

import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { Patch } from "./bug.js"

const root = resolve(import.meta.dirname, "../..")
const copied = [
  ...["src", "test", "proof", "bench", "bin", "migrations", "package.json"],
  ...["tsconfig.json", "tsconfig.build.json", "tsconfig.sim.json", "vitest.config.ts"],
]

export class TreeCopy {
  readonly directory: string

  static async make(): Promise<TreeCopy> {
    const directory = await mkdtemp(join(tmpdir(), "tidemark-bugs-"))
    for (const name of copied) await cp(join(root, name), join(directory, name), { recursive: true })
    await symlink(join(root, "node_modules"), join(directory, "node_modules"))
    return new TreeCopy(directory)
  }

  private constructor(directory: string) {
    this.directory = directory
  }

  /** Applies the changes, runs the work and reverts them. */
  async patched<T>(patches: readonly Patch[], work: () => Promise<T>): Promise<T> {
    const before = new Map<string, string>()
    try {
      for (const [file, find, replace] of patches) {
        const path = join(this.directory, file)
        const text = await readFile(path, "utf8")
        if (!before.has(path)) before.set(path, text)
        if (text.split(find).length !== 2) throw new Error(`${file} does not have once: ${find}`)
        await writeFile(
          path,
          text.replace(find, () => replace),
        )
      }
      return await work()
    } finally {
      for (const [path, text] of before) await writeFile(path, text)
    }
  }

  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true })
  }
}
