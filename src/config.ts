// What a user's tidemark.config.ts imports: `import { defineConfig } from "tidemark"`.

import type { ChainSettingValues, Checks, ProcessSettings } from "./platform/settings.js"

export interface ChainDefinition extends Partial<ChainSettingValues> {
  /** http(s) URLs to ask, ws(s) URLs that announce heads. */
  readonly rpc: string | readonly string[]
  /** Checks to turn off, for chains that serve wrong data there. */
  readonly checks?: Partial<Checks>
}

export interface ConfigDefinition extends Partial<ProcessSettings> {
  readonly chains?: Readonly<Record<string, ChainDefinition>>
}

/** Types the config; returns it as it is. */
export const defineConfig = (config: ConfigDefinition): ConfigDefinition => config
