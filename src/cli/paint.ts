// Colours of the terminal, or none. Widths are counted without them.

export interface Paint {
  readonly good: (text: string) => string
  readonly busy: (text: string) => string
  readonly bad: (text: string) => string
  readonly live: (text: string) => string
  readonly dim: (text: string) => string
  readonly strong: (text: string) => string
}

export function createPaint(colour: boolean): Paint {
  const sgr =
    (open: number, close: number) =>
    (text: string): string =>
      colour && text !== "" ? `\u001b[${open}m${text}\u001b[${close}m` : text
  return {
    good: sgr(32, 39),
    busy: sgr(33, 39),
    bad: sgr(31, 39),
    live: sgr(36, 39),
    dim: sgr(90, 39),
    strong: sgr(1, 22),
  }
}
