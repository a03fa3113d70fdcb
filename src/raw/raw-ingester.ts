// The name under which the raw store keeps its own leases and coverage.

export const rawIngester = "raw_ingester"
