// A terminal with a live line at the bottom: log lines are printed above it, and it is redrawn below them. Without a
// terminal there is no live line.

/** process.stdout or process.stderr. */
export interface TerminalStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

const eraseLine = "\r\u001b[2K"

export class Terminal {
  readonly isTty: boolean
  readonly #stream: TerminalStream
  #status = ""

  constructor(stream: TerminalStream) {
    this.#stream = stream
    this.isTty = stream.isTTY === true
  }

  get columns(): number {
    return this.#stream.columns ?? 80
  }

  /** Prints above the live line, with one write, so that the lines of two writers do not mix. */
  line(text: string): void {
    const ended = text.endsWith("\n") ? text : `${text}\n`
    this.#stream.write(this.#status === "" ? ended : `${eraseLine}${ended}${this.#status}`)
  }

  /** Draws the live line; an empty text removes it. The text must fit: a wrapped line cannot be erased. */
  status(text: string): void {
    if (!this.isTty || text === this.#status) return
    this.#status = text
    this.#stream.write(`${eraseLine}${text}`)
  }
}

/** https://no-color.org: any non-empty value turns colours off. */
export const wantsColour = (stream: TerminalStream, env: Readonly<Record<string, string | undefined>>): boolean =>
  stream.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb"
