// The name under which the raw store keeps its own leases and coverage.

export { rawIngester } from "../coordination/raw-ingester.js"
