// A proxy that delivers what clients send some time later, in order: a database that is far away. Whatever happens between
// two statements of a transaction then does happen.

import { startTcpProxy, type TcpProxy } from "./tcp-proxy.js"

export const startSlowProxy = (port: number, { delayMs }: { readonly delayMs: number }): Promise<TcpProxy> =>
  startTcpProxy({
    target: () => port,
    send: (client, upstream) => {
      // Timers of one delay end in the order in which they began.
      client.on("data", (chunk: Buffer) => void setTimeout(() => upstream.writable && upstream.write(chunk), delayMs))
      client.on("end", () => void setTimeout(() => upstream.end(), delayMs))
    },
  })
