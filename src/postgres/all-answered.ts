// Statements of one transaction that are sent without waiting for each other: over a network each wait costs more than most of them.

/**
 * All results, or the first error, and that only when every answer is there: whoever rolls back or goes on must not
 * find statements still on their way.
 */
export async function allAnswered<T extends readonly Promise<unknown>[]>(
  answers: readonly [...T],
): Promise<{ [At in keyof T]: Awaited<T[At]> }> {
  const settled = await Promise.allSettled(answers)
  for (const answer of settled) if (answer.status === "rejected") throw answer.reason
  return settled.map((answer) => (answer as PromiseFulfilledResult<unknown>).value) as {
    [At in keyof T]: Awaited<T[At]>
  }
}
