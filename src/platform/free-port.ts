// TCP ports of 127.0.0.1 that nothing listens on at this moment.

import { createServer } from "node:net"

/** Whether the port can be had. */
export const isFreePort = async (port: number): Promise<boolean> => (await listen(port)) !== undefined

/** The preferred one when it is free, else one the system chooses. */
export async function freePort(preferred = 0): Promise<number> {
  const port = (await listen(preferred)) ?? (await listen(0))
  if (port === undefined) throw new Error("no port of 127.0.0.1 is free")
  return port
}

/** The port, or the one the system chose for 0; undefined when it is taken. */
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
