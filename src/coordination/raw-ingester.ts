// The worker name of raw ingestion in coverage and leases. App keeps a copy of its coverage under the same name.

export const rawIngester = "raw_ingester"
