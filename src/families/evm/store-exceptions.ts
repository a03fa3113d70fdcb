// Which rules of a store its blocks need not keep to, because they were stored without the check.

import type { StoreException } from "../chain-family.js"
import { rulesOf } from "./source/chain-rules.js"
import type { CheckSwitches } from "./source/verify-block.js"

/** The other checks are of what only the node sends. */
const ruleOfCheck: readonly (readonly [keyof CheckSwitches, StoreException["rule"]])[] = [
  ["parent", "parent-links"],
  ["logOrder", "event-numbers"],
]

export function storeExceptions(
  chainId: string,
  { checks }: { readonly checks: Readonly<Record<string, boolean>> },
): readonly StoreException[] {
  const { name, unchecked } = rulesOf(chainId)
  return ruleOfCheck.flatMap(([check, rule]) => {
    if (unchecked.includes(check)) return [{ rule, why: `${name} does not keep to it` }]
    return checks[check] === false ? [{ rule, why: `the check "${check}" is off` }] : []
  })
}
