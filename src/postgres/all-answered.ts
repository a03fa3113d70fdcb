// Statements of one transaction that are sent without waiting for each other: over a network, waiting for an answer
// costs more than most statements do.

/** All results, or the first error: only after every answer, so that no statement is in flight at a rollback. */
export async function allAnswered<T extends readonly Promise<unknown>[]>(
  answers: readonly [...T],
): Promise<{ [At in keyof T]: Awaited<T[At]> }> {
  const settled = await Promise.allSettled(answers)
  for (const answer of settled) if (answer.status === "rejected") throw answer.reason
  return settled.map((answer) => (answer as PromiseFulfilledResult<unknown>).value) as {
    [At in keyof T]: Awaited<T[At]>
  }
}
