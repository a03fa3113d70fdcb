// Reports that a socket has been quiet for a while: nothing was received and nothing of what was sent got on its way.

import type { Socket } from "node:net"

/** Calls `onQuiet` once for each such while; anything that moves starts the next. Replaces an earlier call's time. */
export function watchQuiet(socket: Socket, quietMs: number, onQuiet?: () => void): void {
  socket.setTimeout(quietMs)
  if (!onQuiet) return
  socket.on("timeout", () => {
    const { bytesRead, bytesWritten } = socket
    // A busy thread sees its timers before its sockets: what has arrived meanwhile is read in between.
    setImmediate(() => {
      if (socket.bytesRead === bytesRead && socket.bytesWritten === bytesWritten) onQuiet()
    })
  })
}
