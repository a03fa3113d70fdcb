// JSON with line breaks, letter by letter: nothing is parsed, so that every number stays as it was written.

const step = "  "

/** Of a long text, as much as its first letters make. */
export function indentJson(json: string, longest: number): string {
  let text = ""
  let depth = 0
  let isQuoted = false
  const line = (): string => `\n${step.repeat(depth)}`
  for (let at = 0; at < Math.min(json.length, longest); at++) {
    const letter = json[at]!
    if (isQuoted) {
      text += letter
      if (letter === "\\") text += json[++at] ?? ""
      else if (letter === '"') isQuoted = false
    } else if (letter === "{" || letter === "[") {
      const isEmpty = json[at + 1] === "}" || json[at + 1] === "]"
      text += isEmpty ? letter + json[++at] : letter
      if (isEmpty) continue
      depth++
      text += line()
    } else if (letter === "}" || letter === "]") {
      depth = Math.max(0, depth - 1)
      text += line() + letter
    } else if (letter === ",") text += letter + line()
    else if (letter === ":") text += ": "
    else {
      if (letter === '"') isQuoted = true
      text += letter
    }
  }
  return text
}
