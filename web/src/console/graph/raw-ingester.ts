// The worker that fills raw: all others read from it, and nobody can pause it.

export const rawIngester = "raw_ingester"
