// The metrics of a process that will end: asked for again and again, the last answer is kept.

export interface MetricsWatch {
  /** The sum of all samples whose name and labels contain this, as they were last seen. */
  value(sample: string): number
  /** By the value of one label. */
  by(name: string, label: string): ReadonlyMap<string, number>
  stop(): void
}

const askEveryMs = 200

export function watchMetrics(port: number): MetricsWatch {
  let text = ""
  const timer = setInterval(() => {
    fetch(`http://127.0.0.1:${port}/metrics`)
      .then(async (answer) => {
        if (answer.ok) text = await answer.text()
      })
      // Not up yet, or gone.
      .catch(() => undefined)
  }, askEveryMs)
  const samples = (name: string): [string, number][] =>
    text
      .split("\n")
      .filter((line) => line.startsWith(name))
      .map((line) => [line, Number(line.slice(line.lastIndexOf(" ") + 1))])
  return {
    value: (name) => samples(name).reduce((sum, [, value]) => sum + value, 0),
    by: (name, label) =>
      new Map(
        samples(`${name}{`).map(([line, value]) => [new RegExp(`${label}="([^"]*)"`).exec(line)?.[1] ?? "", value]),
      ),
    stop: () => clearInterval(timer),
  }
}
