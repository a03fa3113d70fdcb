// Runs a program in a copy of the tree to its end and keeps its output.

import { spawn } from "node:child_process"

export interface Outcome {
  /** Nothing was noticed. */
  readonly isSound: boolean
  readonly said: string
}

const timeoutMs = 600_000

/** Throws when the time limit ended it. */
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
  // A program that the time limit ended may still exit with a code.
  if (code === null || child.killed)
    throw new Error(`it did not end within ${timeoutMs / 1_000} s: ${output.slice(-1_000)}`)
  return { code, output }
}
