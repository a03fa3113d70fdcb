// Whether a run failed because of what is meant to notice the bug. Any other end shows nothing: a timeout, a broken set-up,
// another invariant, or seeds that met less than they should.

import type { Catcher, NamedTest } from "./bug.js"
import type { Outcome } from "./run-program.js"

export function isNoticed({ isSound, said }: Outcome, notices: Catcher["notices"]): boolean {
  if (isSound) return false
  if (notices instanceof RegExp) return notices.test(said)
  const [, broken] = /^seed \d+ breaks (\w+) /.exec(said) ?? []
  return notices.some((invariant) => invariant === broken)
}

/** A failed expectation or property; any other error is not a failure of the rule. */
const failedExpectation =
  /^(AssertionError|Error: promise (resolved|rejected) .* instead of|Error: Property failed after)/

export const noticesOf = ([, , notices = failedExpectation]: NamedTest): RegExp => notices
