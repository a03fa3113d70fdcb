// Where tokens come from when they are minted and go when they are burned.

import type { Hex } from "../../../../domain/linked-block.js"

export const zeroAddress: Hex = `0x${"0".repeat(40)}`
