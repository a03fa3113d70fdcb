// A setting: its environment variable, default, allowed values and meaning. An invalid value is rejected at start with
// its name, the value and what is allowed.

import { IndexerError } from "./errors.js"

export interface Setting<T> {
  readonly env: string
  readonly allowed: string
  readonly help: string
  readonly fallback: T
  /** From the environment or a flag. Undefined for an invalid text. */
  readonly parse: (text: string) => T | undefined
  /** From the config file. */
  readonly accepts: (value: unknown) => value is T
}

type Spec<T> = { env: string; help: string; fallback: T }

type IntegerSpec<T> = Spec<T> & { min: number; max?: number }

export function integer(spec: IntegerSpec<number>): Setting<number>
export function integer(spec: IntegerSpec<number | undefined>): Setting<number | undefined>
export function integer(spec: IntegerSpec<number | undefined>): Setting<number | undefined> {
  const max = spec.max ?? Number.MAX_SAFE_INTEGER
  const fits = (value: unknown): value is number =>
    Number.isSafeInteger(value) && (value as number) >= spec.min && (value as number) <= max
  return {
    ...spec,
    allowed: `a whole number from ${spec.min}${spec.max === undefined ? "" : ` to ${spec.max}`}`,
    parse: (text) => (/^\d+$/.test(text) && fits(Number(text)) ? Number(text) : undefined),
    accepts: fits,
  }
}

export function choice<T extends string>(spec: Spec<T> & { of: readonly T[] }): Setting<T> {
  const fits = (value: unknown): value is T => spec.of.includes(value as T)
  return {
    ...spec,
    allowed: spec.of.map((one) => `"${one}"`).join(" or "),
    parse: (text) => (fits(text) ? text : undefined),
    accepts: fits,
  }
}

export function flag(spec: Spec<boolean>): Setting<boolean> {
  return {
    ...spec,
    allowed: "true or false",
    parse: (text) => (text === "true" ? true : text === "false" ? false : undefined),
    accepts: (value): value is boolean => typeof value === "boolean",
  }
}

type TextSpec<T> = Spec<T> & { allowed: string; pattern: RegExp }

export function text(spec: TextSpec<string>): Setting<string>
export function text(spec: TextSpec<string | undefined>): Setting<string | undefined>
export function text(spec: TextSpec<string | undefined>): Setting<string | undefined> {
  return {
    ...spec,
    parse: (value) => (spec.pattern.test(value) ? value : undefined),
    accepts: (value): value is string => typeof value === "string" && spec.pattern.test(value),
  }
}

export type SettingTable = Readonly<Record<string, Setting<unknown>>>

export type SettingValues<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends Setting<infer T> ? T : never
}

export interface SettingSources {
  /** Text by setting name; overrides the others. */
  readonly flags: Readonly<Record<string, string | undefined>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly file: Readonly<Record<string, unknown>>
  /** The prefix of the file's keys in messages, such as `chains.mainnet.`. */
  readonly filePrefix: string
}

export function readSettings<Table extends SettingTable>(table: Table, sources: SettingSources): SettingValues<Table> {
  const out: Record<string, unknown> = {}
  for (const [key, setting] of Object.entries(table)) out[key] = readSetting(key, setting, sources)
  return out as SettingValues<Table>
}

function readSetting(key: string, setting: Setting<unknown>, sources: SettingSources): unknown {
  const flagText = sources.flags[key]
  if (flagText !== undefined) return parsed(setting, `--${kebab(key)}`, flagText)
  const envText = sources.env[setting.env]
  if (envText !== undefined && envText !== "") return parsed(setting, setting.env, envText)
  const value = sources.file[key]
  if (value === undefined) return setting.fallback
  if (!setting.accepts(value)) throw invalid(setting, `${sources.filePrefix}${key}`, value)
  return value
}

function parsed(setting: Setting<unknown>, name: string, given: string): unknown {
  const value = setting.parse(given)
  if (value === undefined) throw invalid(setting, name, given)
  return value
}

const secretName = /url|token|password|key/i

function invalid(setting: Setting<unknown>, name: string, given: unknown): IndexerError {
  const shown = secretName.test(name) ? "(not shown)" : (JSON.stringify(given)?.slice(0, 100) ?? String(given))
  return new IndexerError("CONFIG_INVALID", `${name} is ${shown}, but must be ${setting.allowed}`)
}

export const kebab = (key: string): string => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
