// Whether a TCP port of 127.0.0.1 is free at this moment.

import { createServer } from "node:net"

/** The port, or the one the system chose for 0; undefined when it is taken. */
export function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(undefined))
    server.listen(port, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" ? address?.port : undefined))
    })
  })
}
