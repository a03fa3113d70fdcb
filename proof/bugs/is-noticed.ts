// Whether a run that failed did so by what is meant to notice the bug. Any other end shows nothing: a timeout, a set-up that broke, another
// invariant, or seeds that met less than they are for.

import type { Catcher, NamedTest } from "./bug.js"
import type { Outcome } from "./run-program.js"

export function isNoticed({ isSound, said }: Outcome, notices: Catcher["notices"]): boolean {
  if (isSound) return false
  if (notices instanceof RegExp) return notices.test(said)
  const [, broken] = /^seed \d+ breaks (\w+) /.exec(said) ?? []
  return notices.some((invariant) => invariant === broken)
}

/** As an expectation and a property say that they do not hold; what was thrown on the way there says something else. */
const failedExpectation =
  /^(AssertionError|Error: promise (resolved|rejected) .* instead of|Error: Property failed after)/

export const noticesOf = ({ notices = failedExpectation }: NamedTest): RegExp => notices
