// A directory of a user's own, in which the program is started as a user starts it; everything in it ends with the test.

import { chmod, mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readPostmasterFile } from "../../src/postgres/embedded/postmaster-file.js"
import { type RunOptions, runTidemark, type TidemarkProcess } from "../support/tidemark-process.js"

export class Workplace {
  readonly directory: string
  readonly #processes: TidemarkProcess[] = []

  static async make(): Promise<Workplace> {
    const directory = await mkdtemp(join(tmpdir(), "tidemark-test-e2e-"))
    // Root's embedded server runs as another user, who has to get in.
    await chmod(directory, 0o755)
    return new Workplace(directory)
  }

  private constructor(directory: string) {
    this.directory = directory
  }

  start(args: readonly string[] = [], env: Record<string, string> = {}): TidemarkProcess {
    return this.run(["start", ...args], { env })
  }

  run(args: readonly string[], { env, ...options }: RunOptions): TidemarkProcess {
    const child = runTidemark(args, { cwd: this.directory, env: { PORT: "0", ...env }, ...options })
    this.#processes.push(child)
    return child
  }

  /** The node and the server that the processes left running, if any. */
  async leftovers(): Promise<number[]> {
    const data = join(this.directory, ".tidemark")
    const postmaster = await readPostmasterFile(join(data, "postgres")).catch(() => undefined)
    const anvil = await readFile(join(data, "demo", "anvil.json"), "utf8").catch(() => "{}")
    const { pid } = JSON.parse(anvil) as { pid?: number }
    return [postmaster?.pid, pid].filter((found) => found !== undefined && found > 1 && isAlive(found)) as number[]
  }

  async remove(): Promise<void> {
    for (const { child, pid } of this.#processes) {
      try {
        process.kill(-pid, "SIGKILL")
      } catch {
        // It has no group of its own, or is gone.
        child.kill("SIGKILL")
      }
    }
    await Promise.all(this.#processes.map(({ exit }) => exit))
    for (const pid of await this.leftovers()) process.kill(pid, "SIGKILL")
    await rm(this.directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

/** Where a process serves, once it runs. */
export async function urlOf(child: TidemarkProcess): Promise<string> {
  const line = await child.line(({ msg }) => msg.startsWith("running"))
  return line["url"] as string
}

/** The end of a process that refuses: its exit code and what it said. */
export async function refusal(child: TidemarkProcess): Promise<{ code: number | string; said: string }> {
  return { code: await child.exit, said: [...child.errors, ...child.lines.map(({ msg }) => msg)].join("\n") }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
