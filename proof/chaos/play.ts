// Plays one scenario: everything it started is ended, and what it needs to be repeated is said where it failed.

import { NotPossibleHere, type Profile, type Scenario } from "./scenario.js"
import { Scene } from "./scene.js"
import type { Result } from "./summary.js"

export interface PlayOptions {
  readonly profile: Profile
  readonly seed: number
  readonly count?: number
  /** No undisturbed process is run to compare with. */
  readonly checkerOnly?: boolean
  /** Databases of a failure stay, unless told otherwise. */
  readonly keep?: boolean
  readonly say: (text: string) => void
  /** Told of the scene before it begins, for whoever has to end it early. */
  readonly onScene?: (scene: Scene) => void
}

export async function play(scenario: Scenario, options: PlayOptions): Promise<Result> {
  const { profile, seed, say, count = scenario.count[profile], checkerOnly = false } = options
  const { name, fault } = scenario
  const scene = new Scene({ profile, count, seed, checkerOnly, say: (text) => say(`${name}: ${text}`) })
  options.onScene?.(scene)
  const began = performance.now()
  const facts = () => ({ name, fault, seed, seconds: Math.round((performance.now() - began) / 1_000) })
  say(`${name}: ${count} times, seed ${seed}`)
  try {
    const outcome = await scenario.run(scene)
    const looks = scene.sampled()
    await scene.close({ keep: false })
    return { ...facts(), outcome: { ...outcome, facts: { ...outcome.facts, ...looks } } }
  } catch (error) {
    if (error instanceof NotPossibleHere) {
      await scene.close({ keep: false })
      return { ...facts(), skipped: error.message }
    }
    // Often the cause, where the failure itself is that something did not happen in time.
    const met = scene.violations.map((violation) => `\n  met by a look: ${violation}`).join("")
    const kept = await scene.close({ keep: options.keep ?? true })
    const again = `npm run chaos -- ${name} --profile ${profile} --count ${count} --seed ${seed}`
    const text = `${again}\n  databases kept, stopped: ${kept.join(", ") || "none"}${met}\n${describe(error)}`
    say(`${name}: FAILED; ${text}`)
    return { ...facts(), failed: text }
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return `${error.stack}${error.cause ? `\nbecause ${describe(error.cause)}` : ""}`
}
