// Programs that some tests run, of the packages in test/binaries: npm installs those that this platform has.

import { existsSync } from "node:fs"
import { join } from "node:path"

const packageOf = (program: string): string => `${program}-${process.platform}-${process.arch}`

/** The directory of the program's package. */
export const testBinary = (program: string): string =>
  join(import.meta.dirname, "..", "binaries", "node_modules", packageOf(program))

/** Where it is absent, the tests that need it are skipped, and this says so. */
export function hasTestBinary(program: string): boolean {
  if (existsSync(testBinary(program))) return true
  // The binaries are optional because other platforms lack them; where they exist, a test must not be skipped unnoticed.
  if (process.platform === "linux" && process.arch === "x64") throw new Error(`${packageOf(program)} is not installed`)
  console.warn(`SKIPPED: tests that need ${program}: the package ${packageOf(program)} is not installed`)
  return false
}
