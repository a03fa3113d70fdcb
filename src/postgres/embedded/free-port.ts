// A TCP port of 127.0.0.1 that nobody listens on at this moment.

import { createServer } from "node:net"

/** The preferred one when it is free, else one the system chooses. */
export async function freePort(preferred = 0): Promise<number> {
  const port = await tryPort(preferred)
  return port ?? (await tryPort(0))!
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(undefined))
    server.listen(port, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" ? address?.port : undefined))
    })
  })
}
