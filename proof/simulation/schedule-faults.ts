// Faults at the moments that the plan names, and what an ambush does to the process it strikes.

import type { Hosts } from "./hosts.js"
import type { Ambush } from "./plan.js"
import type { SimHost } from "./sim-host.js"
import type { SimProvider } from "./sim-source.js"
import { traceEvent, type World } from "./world.js"

const forgottenBlocks = 8
const comeBackMs = 100

export function scheduleFaults(
  world: World,
  { providers, hosts }: { providers: readonly SimProvider[]; hosts: Hosts },
): void {
  const { plan, scheduler, chain } = world
  const at = (ms: number, what: string, run: () => void): void => {
    scheduler.after(ms, () => {
      if (world.healed) return
      traceEvent(world, what)
      run()
    })
  }
  const poisons = [...plan.poisons].sort((a, b) => a.at - b.at)
  const grow = (): void => {
    if (world.healed) return
    const due = poisons[0] && poisons[0].at <= scheduler.now - world.startedAt ? poisons.shift() : undefined
    chain.extend(1, due?.worker)
    scheduler.after(plan.blockMs, grow)
  }
  scheduler.after(plan.blockMs, grow)
  for (const crash of plan.crashes) {
    const kill = (): void => {
      // No process is alive now: one will be soon.
      if (!hosts.kill(crash.process, crash)) at(comeBackMs, `crash of p${crash.process}`, kill)
    }
    at(crash.at, `crash of p${crash.process}`, kill)
  }
  for (const { at: when, process, ms, frozen } of plan.pauses) {
    at(when, `p${process} stops for ${ms} ms`, () => {
      const host = hosts.at(process)
      host?.pause()
      scheduler.after(ms, () => host?.resume({ frozen }))
    })
  }
  for (const { at: when, of, ms } of plan.outages) {
    at(when, `${of} is unavailable for ${ms} ms`, () => {
      const database = world[of]
      database.stop()
      world.encounters.outages++
      scheduler.after(ms, () => {
        if (database.isDown) database.start()
      })
    })
  }
  for (const { at: when, depth, grow: more } of plan.reorgs)
    at(when, `reorganisation of ${depth}`, () => void chain.reorganize(depth, depth + more))
  for (const { at: when, provider, kind, ms } of plan.providerFaults) {
    at(when, `provider ${provider} ${kind} for ${ms} ms`, () => {
      const one = providers[provider]!
      if (kind === "stuck") one.stick()
      else if (kind === "down") one.isDown = true
      else one.lagBlocks = 3
      scheduler.after(ms, () => one.heal())
    })
  }
  for (const { of, backupAt, at: when, stopped } of plan.restores) {
    const database = world[of]
    at(backupAt, `backup of ${of}`, () => {
      const backup = database.backup()
      at(when - backupAt, `${of} goes back`, () => {
        if (stopped) hosts.killEvery({ backAfterMs: 200 })
        // The blocks that raw lost are of another branch when they are fetched again.
        else if (of === "raw") chain.reorganize(forgottenBlocks, forgottenBlocks + 1)
        database.restore(backup)
        // Not before: until then both agree.
        world.wentBack = true
      })
    })
  }
}

export function strike(
  world: World,
  { ambush: { on, act, ms }, host, hosts }: { ambush: Ambush; host: SimHost; hosts: Hosts },
): void {
  traceEvent(world, `${act} ${host.name} at its ${on}`)
  if (act === "kill" || act === "silence")
    hosts.kill(hosts.slotOf(host), { silent: act === "silence", backAfterMs: ms })
  else if (act === "stall") host.stall(ms)
  else {
    host.pause()
    world.scheduler.after(ms, () => host.resume({ frozen: act === "freeze" }))
  }
}
