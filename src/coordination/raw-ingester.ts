// Who stores raw blocks, as coverage and leases name it. App keeps a copy of its coverage under the same name.

export const rawIngester = "raw_ingester"
