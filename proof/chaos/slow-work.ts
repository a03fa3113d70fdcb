// Processes are slowed down by their own limits, so that faults meet work.

export const slowWork = { RANGE_SIZE: "25", RPC_BATCH_BLOCKS: "5", RPC_MAX_RPS: "150" }
