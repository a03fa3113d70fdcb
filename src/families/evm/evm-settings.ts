// The settings that an EVM chain has besides those of every chain.

import type { ChainConfig } from "../../platform/load-config.js"
import { choice, flag, type SettingValues } from "../../platform/setting.js"

export const evmSettings = {
  verify: choice({
    env: "VERIFY",
    of: ["standard", "roots"],
    fallback: "standard",
    help: "`roots` also recomputes header hash, transactions root and receipts root.",
  }),
  denormalizeEvents: flag({
    env: "DENORMALIZE_EVENTS",
    fallback: false,
    help: "Keeps a truncated copy of its events with each transaction, for debugging.",
  }),
} as const

export type EvmSettingValues = SettingValues<typeof evmSettings>

/** Empty for a chain that was not read from a config: the defaults then hold. */
export const evmSettingsOf = ({ familySettings = {} }: Partial<ChainConfig> = {}): Partial<EvmSettingValues> =>
  // Read by the table above.
  familySettings as Partial<EvmSettingValues>
