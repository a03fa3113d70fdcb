import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { afterEach, expect, it } from "vitest"
import { startSteeredProxy } from "./steered-proxy.js"

const ending: (() => void)[] = []
afterEach(() => {
  for (const end of ending.splice(0)) end()
})

/** A connection may also end with an error, which is all the same here. */
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once("close", () => resolve()))

async function serverThatSays(text: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined)
    socket.on("data", () => socket.write(text))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  ending.push(() => server.close())
  return (server.address() as AddressInfo).port
}

it("leads to where it was told last, drops what it had, and holds back when stalled", async () => {
  const [first, second] = [await serverThatSays("first"), await serverThatSays("second")]
  const proxy = await startSteeredProxy()
  ending.push(() => void proxy.close())
  const open = () => {
    const socket = connect(proxy.port, "127.0.0.1")
    socket.on("error", () => undefined)
    ending.push(() => socket.destroy())
    return socket
  }
  const ask = async (socket: ReturnType<typeof open>) => {
    socket.write("?")
    return String((await once(socket, "data"))[0])
  }
  proxy.lead(first)
  const old = open()
  expect(await ask(old)).toBe("first")
  const dropped = closed(old)
  proxy.lead(second)
  await dropped
  const socket = open()
  expect(await ask(socket)).toBe("second")
  proxy.stall()
  let heard = ""
  socket.on("data", (chunk) => {
    heard += chunk
  })
  socket.write("?")
  const gone = closed(socket)
  proxy.lead(undefined)
  await gone
  expect(heard).toBe("")
})
