// `npm start`, which puts npm between a signal and the program: whichever way it is told to stop, nothing stays behind.

import { once } from "node:events"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { TidemarkProcess } from "../support/tidemark-process.js"
import { urlOf, Workplace } from "./workplace.js"

const root = join(import.meta.dirname, "..", "..")
let workplace: Workplace

beforeAll(async () => {
  workplace = await Workplace.make()
})

afterAll(() => workplace.remove())

async function npmStart(): Promise<TidemarkProcess> {
  const child = workplace.run([], {
    command: ["npm", "start"],
    cwd: root,
    env: { TIDEMARK_DIR: join(workplace.directory, ".tidemark") },
    ownGroup: true,
  })
  await urlOf(child)
  // PostgreSQL and the demo chain's node.
  expect(await workplace.leftovers()).toHaveLength(2)
  return child
}

/** Standard output ends when the last process that writes to it has ended, and not just npm. */
async function expectCleanStop(child: TidemarkProcess, stop: () => void): Promise<void> {
  const silent = once(child.child.stdout!, "close")
  stop()
  expect(await child.exit).toBe(0)
  await silent
  expect(await workplace.leftovers()).toEqual([])
  expect(child.lines.filter(({ msg }) => /^stop/.test(msg)).map(({ msg }) => msg)).toEqual([
    "stopping: ranges in progress may finish",
    "stopped",
  ])
}

it("a TERM of npm ends the program, its PostgreSQL and the demo chain's node, in order", async () => {
  const child = await npmStart()
  await expectCleanStop(child, () => child.kill("SIGTERM"))
})

it("Ctrl-C, which reaches npm and the program at once, stops once", async () => {
  const child = await npmStart()
  await expectCleanStop(child, () => process.kill(-child.pid, "SIGINT"))
})
