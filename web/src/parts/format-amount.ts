// Amounts in base units, exact or rounded down to what the eye takes in. Never through a float.

export interface FormattedAmount {
  readonly whole: string
  /** With its point; empty without one. */
  readonly fraction: string
  readonly exact: string
}

const shownDigits = 4
const grouped = new Intl.NumberFormat("en-US")
/** Longer than a line can hold. */
const longestWhole = 15

export function formatAmount(units: string, decimals: number | null): FormattedAmount {
  const isNegative = units.startsWith("-")
  const digits = (isNegative ? units.slice(1) : units).padStart((decimals ?? 0) + 1, "0")
  const at = digits.length - (decimals ?? 0)
  const [whole, rest] = [digits.slice(0, at), digits.slice(at).replace(/0+$/, "")]
  const sign = isNegative ? "−" : ""
  const exact = `${sign}${grouped.format(BigInt(whole))}${rest ? `.${rest}` : ""}`
  if (whole.length > longestWhole) {
    return { whole: `${sign}${whole[0]}.${whole.slice(1, 4)}e${whole.length - 1}`, fraction: "", exact }
  }
  const shown = rest.slice(0, shownDigits).replace(/0+$/, "")
  if (whole === "0" && shown === "" && rest !== "") return { whole: `${sign}<0`, fraction: ".0001", exact }
  return { whole: `${sign}${grouped.format(BigInt(whole))}`, fraction: shown ? `.${shown}` : "", exact }
}
