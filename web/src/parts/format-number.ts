// Numbers as people read them. Heights and counts come as digits, since they may exceed 2^53.

const grouped = new Intl.NumberFormat("en-US")

export const formatNumber = (digits: string | number | bigint): string => grouped.format(BigInt(digits))

export const plural = (count: number | bigint, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${BigInt(count) === 1n ? one : many}`

/** Rounded down: what is not complete must not read 100 %. */
export function formatPercent(percent: number, digits = 2): string {
  const scale = 10 ** digits
  const down = Math.floor(percent * scale + 1e-9) / scale
  return `${down.toLocaleString("en-US", { maximumFractionDigits: digits })} %`
}
