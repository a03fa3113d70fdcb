// A server of node:http on a free port of the loopback.

import type { Server } from "node:http"
import type { AddressInfo } from "node:net"

export interface Listening {
  readonly url: string
  /** Also ends the connections that clients keep. */
  stop(): Promise<void>
}

export async function listen(server: Server): Promise<Listening> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
