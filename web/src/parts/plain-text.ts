// Text that a contract chose, such as a name: one line, bounded, and without marks that reorder what stands beside it.

const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+/gu

export function plainText(text: string, longest = 60): string {
  // Bounded first: a megabyte must not be searched.
  const line = text
    .slice(0, longest * 8)
    .replace(invisible, " ")
    .replace(/\s+/g, " ")
    .trim()
  const letters = [...line]
  return letters.length > longest ? `${letters.slice(0, longest - 1).join("")}…` : line
}
