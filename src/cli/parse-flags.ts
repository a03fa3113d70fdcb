// Flags and names of a command, or USAGE with what is wrong and where the help is.

import { parseArgs } from "node:util"
import { IndexerError } from "../platform/errors.js"

type FlagTypes = Readonly<Record<string, "string" | "boolean">>
export type FlagValues<Types extends FlagTypes> = {
  readonly [Name in keyof Types]: (Types[Name] extends "string" ? string : boolean) | undefined
}

/** Of every command that reads chains. */
export const chainFlags = { chain: "string", config: "string", json: "boolean" } as const

export function parseFlags<Types extends FlagTypes>(
  argv: readonly string[],
  { flags, command }: { flags: Types; command: string },
): FlagValues<Types> {
  return parse(argv, { flags, command, allowPositionals: false }).values
}

/** The same with words beside the flags, exactly as many as are named. */
export function parseFlagsAndWords<Types extends FlagTypes>(
  argv: readonly string[],
  { flags, command, words }: { flags: Types; command: string; words: readonly string[] },
): { readonly flags: FlagValues<Types>; readonly words: readonly string[] } {
  const { values, positionals } = parse(argv, { flags, command, allowPositionals: true })
  if (positionals.length < words.length) throw usage(`${words[positionals.length]} is missing`, command)
  if (positionals.length > words.length) {
    throw usage(`${JSON.stringify(positionals[words.length])} is too much`, command)
  }
  return { flags: values, words: positionals }
}

function parse<Types extends FlagTypes>(
  argv: readonly string[],
  { flags, command, allowPositionals }: { flags: Types; command: string; allowPositionals: boolean },
): { values: FlagValues<Types>; positionals: readonly string[] } {
  const options = Object.fromEntries(Object.entries(flags).map(([name, type]) => [name, { type }]))
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, strict: true, allowPositionals })
    return { values: values as FlagValues<Types>, positionals }
  } catch (error) {
    // Node's own sentence names the flag; what follows it is advice on quoting.
    const [sentence] = (error as Error).message.split(". ")
    throw usage(`${sentence}`, command)
  }
}

/** The first word of a command that does several things. */
export function chooseAct<Act extends string>(
  word: string | undefined,
  { command, acts }: { command: string; acts: readonly Act[] },
): Act {
  const act = acts.find((one) => one === word)
  if (act) return act
  throw usage(
    word === undefined ? `${command} needs one of ${acts.join(", ")}` : `${command} cannot ${JSON.stringify(word)}`,
    command,
  )
}

export const usage = (message: string, command: string): IndexerError =>
  new IndexerError("USAGE", `${message}; see \`tidemark ${command} --help\``)

export function heightFlag(text: string, command: string, flag = "height"): number {
  const height = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(height)) return height
  throw usage(`--${flag} is ${JSON.stringify(text)}, but must be a block's height`, command)
}
