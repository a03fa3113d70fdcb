// Rounds of several variants, one run of each per round, so that whatever else the machine does meets all of them alike.

export interface Variant<Result> {
  readonly name: string
  run(round: number): Promise<Result>
}

export async function interleave<Result>(
  variants: readonly Variant<Result>[],
  { rounds, onResult }: { rounds: number; onResult: (name: string, round: number, result: Result) => void },
): Promise<Map<string, Result[]>> {
  const results = new Map<string, Result[]>(variants.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < variants.length; i++) {
      // Each round begins with another one: none is always the first after a pause.
      const variant = variants[(i + round) % variants.length]!
      const result = await variant.run(round)
      results.get(variant.name)!.push(result)
      onResult(variant.name, round, result)
    }
  }
  return results
}
