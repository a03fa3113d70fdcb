// Options of a program of this repository: --help prints its usage, and what it cannot take is said above that, without a stack.

import { type ParseArgsConfig, parseArgs } from "node:util"

type Parsed<Config extends ParseArgsConfig> = ReturnType<typeof parseArgs<Config>>

export function readOptions<const Config extends ParseArgsConfig>(usage: string, config: Config): Parsed<Config> {
  if (process.argv.includes("--help")) {
    console.log(usage)
    process.exit(0)
  }
  try {
    return parseArgs(config)
  } catch (error) {
    // Without its advice on arguments that begin with a dash: there are none.
    return refuse(usage, (error as Error).message.replace(/\. To specify .*/s, ""))
  }
}

export function refuse(usage: string, message: string): never {
  console.error(`${message}\n${usage}`)
  process.exit(1)
}

/** Gives up on what is not a whole number of at least `least`. */
export function wholeNumber(
  usage: string,
  { name, text, least = 0 }: { name: string; text: string; least?: number },
): number {
  const value = Number(text)
  if (text.trim() === "" || !Number.isSafeInteger(value) || value < least)
    return refuse(usage, `--${name} is a whole number from ${least}, not ${JSON.stringify(text)}`)
  return value
}
