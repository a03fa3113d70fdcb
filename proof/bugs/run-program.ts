// Runs a program in a copy of the tree to its end, and keeps what it said.

import { spawn } from "node:child_process"

export interface Outcome {
  /** Nothing was noticed. */
  readonly isSound: boolean
  readonly said: string
}

const timeoutMs = 600_000

/** Throws where it did not come to an end by itself. */
export async function runProgram(
  args: readonly string[],
  { directory }: { directory: string },
): Promise<{ code: number; output: string }> {
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
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve))
  // A program that was told to end may well do so with a code of its own.
  if (code === null || child.killed)
    throw new Error(`it did not come to an end within ${timeoutMs / 1_000} s: ${output.slice(-1_000)}`)
  return { code, output }
}
