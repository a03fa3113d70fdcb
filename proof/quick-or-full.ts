// How much a test tries: little in `npm test`, and all that makes sense with `PROFILE=full`, by hand.

export const quickOrFull = <T>(quick: T, full: T): T => (process.env["PROFILE"] === "full" ? full : quick)
