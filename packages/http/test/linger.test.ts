import { assert, describe, it } from "@effect/vitest"
import { makeNodeServer } from "@tapeline/http"
import { once } from "node:events"
import type { Server } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { text } from "node:stream/consumers"
import { afterEach } from "vitest"

const sockets: Array<Socket> = []
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()))

const startServer = async (lingerMs: number): Promise<Server> => {
  const server = makeNodeServer({ lingerMs }).on("request", (_, response) => response.end("answered"))
  await once(server.listen(0, "127.0.0.1"), "listening")
  return server
}

// The server listens on TCP, so its address has a port.
const portOf = (server: Server): number => (server.address() as AddressInfo).port

/** Opens a connection that the server has accepted. */
const open = async (server: Server): Promise<Socket> => {
  const accepted = once(server, "connection")
  const socket = connect(portOf(server), "127.0.0.1")
  sockets.push(socket)
  await Promise.all([once(socket, "connect"), accepted])
  return socket
}

describe("A closed server with a linger time", () => {
  it("answers the first request of a connection that it accepted, and closes the connection", async () => {
    const server = await startServer(60_000)
    const [socket, idle] = [await open(server), await open(server)]
    idle.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
    await once(idle, "data")
    const isClosed = new Promise((resolve) => server.close(resolve))
    while (server.listening) await new Promise(setImmediate)
    for (const each of [socket, idle]) {
      each.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
      const response = await text(each)
      assert.match(response, /^HTTP\/1\.1 200 OK\r\n/u)
      assert.match(response, /answered/u)
    }
    await isClosed
  })

  it("closes a connection without a request after that time", async () => {
    const server = await startServer(50)
    const socket = await open(server)
    const isClosed = new Promise((resolve) => server.close(resolve))
    socket.resume()
    await Promise.all([once(socket, "close"), isClosed])
    assert.isFalse(server.listening)
  })

  for (const { lingerMs, requests } of [{ lingerMs: 0, requests: 0 }, { lingerMs: 50, requests: 1 }]) {
    it(`closes a connection with an incomplete request after ${requests} requests and ${lingerMs} ms`, async () => {
      const server = await startServer(lingerMs)
      const accepted = once(server, "connection")
      const socket = (await open(server)).resume()
      // The event has one argument, the socket.
      const [serverSocket] = await accepted as [Socket]
      const text = `${"GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(requests)}GET / HTTP/1.1\r\n`
      socket.write(text)
      while (serverSocket.bytesRead < text.length) await new Promise(setImmediate)
      await Promise.all([once(socket, "close"), new Promise((resolve) => server.close(resolve))])
      assert.isTrue(serverSocket.destroyed)
    })
  }

  it("stops listening even if connections arrive all the time", async () => {
    const server = await startServer(50)
    const port = portOf(server)
    let isRefused = false
    const knock = (): void => {
      const socket = connect(port, "127.0.0.1").on("connect", () => socket.destroy()).on("error", () => {
        isRefused = true
      }).on("close", () => isRefused ? undefined : knock())
    }
    for (let i = 0; i < 20; i++) knock()
    await once(server, "connection")
    await new Promise((resolve) => server.close(resolve))
    assert.isFalse(server.listening)
  })
})
