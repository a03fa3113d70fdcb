// Whether anything answers at a database's address. It asks for encryption, which every server and pooler answers with one
// byte before a session exists: the question takes none of the server's connections.

import { connect } from "node:net"
import { watchQuiet } from "../platform/quiet-socket.js"
import { connectionTarget } from "./connection-target.js"
import { driver } from "./driver.js"

const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])

export function serverAnswers(url: string, withinMs: number): Promise<boolean> {
  const { host, port } = new driver.Client(connectionTarget(url))
  return new Promise((resolve) => {
    const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    const settle = (answered: boolean): void => {
      socket.destroy()
      resolve(answered)
    }
    watchQuiet(socket, withinMs, () => settle(false))
    socket.on("connect", () => socket.write(sslRequest))
    socket.on("data", () => settle(true))
    socket.on("error", () => settle(false))
    socket.on("close", () => settle(false))
  })
}
