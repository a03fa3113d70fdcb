// The processes of a run, each on a host of its own, and the next generation of those that were killed.

import type { Logger } from "../../src/platform/logger.js"
import { SimHost } from "./sim-host.js"
import { startProcess } from "./sim-process.js"
import type { SimRandom } from "./sim-random.js"
import { type SimProvider, SimSource } from "./sim-source.js"
import type { SimDerivedStore } from "./sim-stores.js"
import type { World } from "./world.js"

export interface Hosts {
  at(slot: number): SimHost
  slotOf(host: SimHost): number
  /** Kills that process or the next one that is alive. False if none is. */
  kill(slot: number, options: { silent: boolean; backAfterMs: number }): boolean
  /** An operator stops them; not counted as crashes. */
  killEvery(options: { backAfterMs: number }): void
  heal(): void
  killAll(): void
}

export function runProcesses(
  world: World,
  { random, store, providers }: { random: SimRandom; store: SimDerivedStore; providers: readonly SimProvider[] },
): Hosts {
  const { plan, scheduler, raw, app } = world
  const current: SimHost[] = []
  const generations: number[] = []
  const logger = bugLogger(world)
  const start = (slot: number): void => {
    const generation = (generations[slot] ?? -1) + 1
    generations[slot] = generation
    const host = new SimHost({
      name: `p${slot}.${generation}`,
      scheduler,
      random: random.stream(100 + slot * 50 + generation),
      latencyMs: plan.latencyMs,
      slowPart: () => (world.healed ? 0 : plan.slowPerMille / 1_000),
      clockSkewMs: plan.clockSkewMs,
    })
    current[slot] = host
    const errorPart = (): number => (world.healed ? 0 : plan.nodeErrorPerMille / 1_000)
    const source = new SimSource({ host, providers, errorPart })
    startProcess({ host, raw, app, source, store, logger, plan }).catch((error: unknown) =>
      world.fail("BUG", `a process could not start: ${String(error)}`),
    )
  }
  for (let slot = 0; slot < plan.processes; slot++) scheduler.after(random.next() * 300, () => start(slot))
  const end = (slot: number, { silent, backAfterMs }: { silent: boolean; backAfterMs: number }): void => {
    const host = current[slot]!
    host.kill({ silent })
    scheduler.after(backAfterMs, () => {
      if (current[slot] === host) start(slot)
    })
  }
  const isAlive = (slot: number): boolean => current[slot]?.alive ?? false
  const kill: Hosts["kill"] = (first, options) => {
    const slots = Array.from({ length: plan.processes }, (_, at) => (first + at) % plan.processes)
    const slot = slots.find(isAlive)
    if (slot === undefined) return false
    world.encounters.crashes++
    end(slot, options)
    return true
  }
  return {
    at: (slot) => current[slot]!,
    slotOf: (host) => current.indexOf(host),
    kill,
    killEvery: ({ backAfterMs }) => {
      for (const slot of current.keys()) if (isAlive(slot)) end(slot, { silent: false, backAfterMs })
    },
    heal: () => {
      for (const [slot, host] of current.entries()) {
        host.resume({ frozen: false })
        if (!host.alive) start(slot)
      }
    },
    killAll: () => {
      for (const host of Object.values(current)) host.kill({ silent: true })
    },
  }
}

/** A plain Error of the product is a bug, even if a loop handles it. */
function bugLogger(world: World): Logger {
  const note = (fields: Readonly<Record<string, unknown>>, message: string): void => {
    // Nobody changes rows by hand in the simulation.
    const isBug = fields["code"] === "BUG" || fields["code"] === "FOLD_DAMAGED"
    if (isBug) world.fail("BUG", `${message}: ${String(fields["error"])}`)
    world.trace?.(`log: ${message} ${JSON.stringify(fields)}`)
  }
  const logger: Logger = { debug: note, info: note, warn: note, error: note, fatal: note, child: () => logger }
  return logger
}
