// What the sessions of a pool have from their start, so that transactions need not set it. Only of sessions that no pooler
// shares.

export interface SessionLimits {
  readonly statementTimeoutMs?: number
  readonly lockTimeoutMs?: number
  readonly idleInTransactionTimeoutMs?: number
}

export interface SessionSettings {
  readonly limits: SessionLimits
  readonly readOnly: boolean
  /** Made for `fixedPlans` of transactions. */
  readonly fixedPlans: boolean
}

export const usualSession: SessionSettings = { limits: {}, readOnly: false, fixedPlans: false }

/** For the start of a session, as \`setting=value\`. */
export function startSettings({ limits, readOnly, fixedPlans }: SessionSettings): readonly string[] {
  return [
    ...(readOnly ? ["default_transaction_read_only=on"] : []),
    ...limitSettings(limits).map(([setting, ms]) => `${setting}=${ms}`),
    // Compiling a plan takes longer than running it.
    ...(fixedPlans ? ["jit=off", ...planSettings.map(({ setting, fixed }) => `${setting}=${fixed}`)] : []),
  ]
}

/**
 * Of sessions whose statements are planned once for all values: that costs more than most of them take, and more with
 * every partition. Not knowing the values, the planner must not count on them being rare: it reads by an index, in the
 * order in which rows are asked for, or not at all.
 */
export const planSettings: readonly { readonly setting: string; readonly fixed: string; readonly usual: string }[] = [
  { setting: "plan_cache_mode", fixed: "force_generic_plan", usual: "auto" },
  ...["enable_seqscan", "enable_bitmapscan", "enable_sort", "enable_hashjoin", "enable_mergejoin"].map((setting) => ({
    ...{ setting, fixed: "off", usual: "on" },
  })),
]

/** The server's settings behind the limits that are given, in milliseconds. */
export function limitSettings(limits: SessionLimits): [setting: string, ms: number][] {
  const settings: [string, number | undefined][] = [
    ["statement_timeout", limits.statementTimeoutMs],
    ["lock_timeout", limits.lockTimeoutMs],
    ["idle_in_transaction_session_timeout", limits.idleInTransactionTimeoutMs],
  ]
  return settings.flatMap(([setting, ms]): [string, number][] => {
    if (ms === undefined) return []
    if (!Number.isSafeInteger(ms) || ms < 0) throw new RangeError(`${setting} must be whole milliseconds: ${ms}`)
    return [[setting, ms]]
  })
}
