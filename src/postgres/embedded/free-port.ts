// A TCP port of 127.0.0.1 that nobody listens on at this moment.

import { tryPort } from "../../platform/try-port.js"

/** The preferred one when it is free, else one the system chooses. */
export async function freePort(preferred = 0): Promise<number> {
  const port = await tryPort(preferred)
  return port ?? (await tryPort(0))!
}
