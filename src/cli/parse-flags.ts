// Flags of a command, or USAGE with what is wrong and where the help is.

import { parseArgs } from "node:util"
import { IndexerError } from "../platform/errors.js"

type FlagTypes = Readonly<Record<string, "string" | "boolean">>
type FlagValues<Types extends FlagTypes> = {
  readonly [Name in keyof Types]: (Types[Name] extends "string" ? string : boolean) | undefined
}

export function parseFlags<Types extends FlagTypes>(
  argv: readonly string[],
  { flags, command }: { flags: Types; command: string },
): FlagValues<Types> {
  const options = Object.fromEntries(Object.entries(flags).map(([name, type]) => [name, { type }]))
  try {
    return parseArgs({ args: [...argv], options, strict: true }).values as FlagValues<Types>
  } catch (error) {
    // Node's own sentence names the flag; what follows it is advice on quoting.
    const [sentence] = (error as Error).message.split(". ")
    throw usage(`${sentence}`, command)
  }
}

export const usage = (message: string, command: string): IndexerError =>
  new IndexerError("USAGE", `${message}; see \`tidemark ${command} --help\``)

export function heightFlag(text: string, command: string): number {
  const height = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(height)) return height
  throw usage(`--height is ${JSON.stringify(text)}, but must be a block's height`, command)
}
