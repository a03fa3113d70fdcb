// What has to be taken down however a benchmark ends: also on Ctrl-C, also after an error. Last come, first gone.

type Stop = () => Promise<void>

const stops = new Set<Stop>()
let stopping = false

/** What fails from now on fails because it was stopped. */
export const isStopping = (): boolean => stopping

/** Returns a function that takes it off the list again. */
export function onStop(stop: Stop): () => void {
  stops.add(stop)
  return () => stops.delete(stop)
}

export async function stopAll(): Promise<void> {
  stopping = true
  for (const stop of [...stops].reverse()) {
    stops.delete(stop)
    await stop().catch((error: unknown) => console.error(error))
  }
}

/** A terminal and npm may both pass on the same Ctrl-C; only one that comes later means impatience. */
const sameSignalMs = 1_000

export function stopAllOnSignals(): void {
  let firstAt: number | undefined
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (firstAt === undefined) {
        firstAt = performance.now()
        void stopAll().then(() => process.exit(130))
      } else if (performance.now() - firstAt > sameSignalMs) process.exit(130)
    })
  }
}
