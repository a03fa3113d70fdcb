// Finds TCP ports of 127.0.0.1 that no process listens on now.

import { createServer } from "node:net"

export const isFreePort = async (port: number): Promise<boolean> => (await listen(port)) !== undefined

/** The preferred port if it is free, else one that the system chooses. */
export async function freePort(preferred = 0): Promise<number> {
  const port = (await listen(preferred)) ?? (await listen(0))
  if (port === undefined) throw new Error("no port of 127.0.0.1 is free")
  return port
}

/** The port, or for 0 the one that the system chose; undefined when it is in use. */
function listen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(undefined))
    server.listen(port, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" ? address?.port : undefined))
    })
  })
}
