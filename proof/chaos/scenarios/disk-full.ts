// Postgres on a small file system of its own that is filled up to the last bytes, stays full, and is freed.

import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdtemp, rm, statfs } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { seededRandom } from "../../../test/support/seeded-random.js"
import { pause, waitUntil } from "../../../test/support/wait-until.js"
import { compareAll, times } from "../compare.js"
import { goingOn } from "../going-on.js"
import { healWithinMs } from "../heal-within.js"
import { NotPossibleHere, type Scenario } from "../scenario.js"
import type { Scene } from "../scene.js"

const run = promisify(execFile)
const megabyte = 1 << 20
const diskMb = 300

export const diskFull: Scenario = {
  name: "disk-full",
  fault: `Postgres on a ${diskMb} MB disk that is filled and freed`,
  count: { quick: 1, full: 10 },
  async run(scene) {
    const { count } = scene
    const random = seededRandom(scene.seed)
    const disk = await mountDisk(scene)
    // As many as the disk has room for, slowly, so that there is work left at the last time.
    const [blocksEach, requestsPerSecond] = scene.isQuick ? [200, 60] : [250, 10]
    const blocks = count * blocksEach
    // A log that stays small beside the tables, so that both are met: a full log and a full table.
    const settings = { max_wal_size: "64MB", min_wal_size: "32MB" }
    const postgres = await scene.postgres({ parent: disk, settings })
    const { url: rpcUrl } = await scene.node({ blocks })
    const stage = await scene.stage({
      ...{ postgres, rpcUrl, roles: "ingest,work" },
      env: { RANGE_SIZE: "25", RPC_BATCH_BLOCKS: "5", RPC_MAX_RPS: String(requestsPerSecond) },
    })
    for (let i = 0; i < 2; i++) stage.start()
    await waitUntil(async () => (await stage.progress()) > 20, { what: "work under way" })
    const met = { DATABASE_FULL: 0, DATABASE_UNREACHABLE: 0 }
    const resumedMs: number[] = []
    const ballast = join(disk, "ballast")
    for (let fill = 1; fill <= count; fill++) {
      const before = stage.members.map(({ lines }) => lines.length)
      await fillUp(disk, { ballast, left: Math.floor(random.next() * 4 * megabyte) })
      const code = await waitUntil(
        () => {
          const said = stage.members.flatMap(({ lines }, i) => lines.slice(before[i]!))
          return (Object.keys(met) as (keyof typeof met)[]).find((known) => said.some((line) => line.code === known))
        },
        { what: "a process says that the disk is full" },
      )
      met[code]++
      // It stays full for a while: nobody may give up.
      await pause(3_000)
      await rm(ballast)
      resumedMs.push(await goingOn(stage, { what: "work going on where there is room", all: blocks + 1 }))
    }
    const left = blocks + 1 - (await stage.progress())
    await stage.finish(blocks + 1, healWithinMs({ blocks: left, callsPerSecond: requestsPerSecond }))
    assert.equal(stage.members.length, 2, "a process ended")
    const compared = await compareAll(stage, {
      against: { postgres: await scene.postgres(), rpcUrl },
      head: blocks,
    })
    return { times: count, compared, recovery: times(resumedMs), facts: { blocks, ...met } }
  },
}

/** Postgres writes on meanwhile: what was free a moment ago may not be. */
async function fillUp(disk: string, { ballast, left }: { ballast: string; left: number }): Promise<void> {
  await waitUntil(
    async () => {
      const { bavail, bsize } = await statfs(disk)
      return run("fallocate", ["-l", String(bavail * bsize - left), ballast]).then(
        () => true,
        () => false,
      )
    },
    { what: "a disk that is full", timeoutMs: 10_000, everyMs: 10 },
  )
}

async function mountDisk(scene: Scene): Promise<string> {
  const disk = await mkdtemp(join(tmpdir(), "tidemark-test-disk-"))
  scene.ending(() => rm(disk, { recursive: true, force: true }))
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${diskMb}m,mode=755`, "tmpfs", disk])
  } catch {
    throw new NotPossibleHere("a disk of its own takes the right to mount one")
  }
  scene.ending(() => run("umount", ["-l", disk]))
  return disk
}
