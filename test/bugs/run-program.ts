// Runs a program in a copy of the tree to its end, and keeps what it said.

import { spawn } from "node:child_process"

export interface Outcome {
  /** Nothing was noticed. */
  readonly isSound: boolean
  readonly said: string
}

const timeoutMs = 300_000

/** The code is null where it did not come to an end by itself. */
export async function runProgram(
  args: readonly string[],
  { directory }: { directory: string },
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, args, {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: timeoutMs,
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString()
    })
  }
  const code = await new Promise<number | null>((resolve) => child.on("exit", resolve))
  return { code, output: code === null ? `${output}\nit did not come to an end` : output }
}
