import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import { setImmediate as turn } from "node:timers/promises"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { PgSocket } from "../src/connection/PgSocket.ts"
import { cancelRequestHeader } from "./support/cancelBlockingProxy.ts"

const responseTimeoutMs = 1_000
const lateMs = 800

const message = (type: string, body: ReadonlyArray<number>): Buffer => {
  const messageHeader = Buffer.alloc(5)
  messageHeader.write(type)
  messageHeader.writeUInt32BE(4 + body.length, 1)
  return Buffer.concat([messageHeader, Buffer.from(body)])
}
const key = [0, 0, 0, 7, 1, 2, 3, 4]
const ready = message("Z", ["I".charCodeAt(0)])
const [first, second] = [message("Q", [1]), message("Q", [2])]

const open: Array<() => void> = []
// The timers are fake, so that tests control the timeouts. All other timers are real, because the sockets need real
// time.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }))
afterEach(() => {
  vi.useRealTimers()
  for (const close of open.splice(0)) close()
})

const session = async (hasServerTimeout: boolean) => {
  const acceptedSockets: Array<Socket> = []
  const server = createServer((socket) => {
    acceptedSockets.push(socket.on("error", () => undefined))
    open.push(() => socket.destroy())
  })
  open.push(() => server.close())
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("no port")
  const clientSocket = new PgSocket({
    address: { endpoint: { host: "127.0.0.1", port: address.port }, tls: null },
    responseTimeoutMs,
    hasServerTimeout,
    openSockets: new Set(),
    unresponsiveUntil: 0
  }).resume()
  open.push(() => clientSocket.destroy())
  const failed = new Promise((resolve) => void clientSocket.once("error", resolve))
  clientSocket.write(message("\0", []))
  while (acceptedSockets.length < 1) await turn()
  const serverSocket = acceptedSockets[0]!
  const chunks: Array<Buffer> = []
  serverSocket.on("data", (piece) => chunks.push(piece))
  const all = () => Buffer.concat(chunks)
  const answer = async (...messages: ReadonlyArray<Buffer>) => {
    const read = once(clientSocket, "data")
    serverSocket.write(Buffer.concat(messages))
    await read
  }
  await answer(message("K", key), ready)
  clientSocket.write(first)
  while (!all().includes(first)) await turn()
  return { acceptedSockets, clientSocket, all, answer, failed }
}

const requested = async (acceptedSockets: ReadonlyArray<Socket>): Promise<Socket> => {
  while (acceptedSockets.length < 2) await turn()
  const [request] = await once(acceptedSockets[1]!, "data")
  expect(request).toEqual(Buffer.concat([cancelRequestHeader, Buffer.from(key)]))
  return acceptedSockets[1]!
}

const turns = async () => {
  for (let i = 0; i < 20; i++) await turn()
}

it("sends no statement until the server has received a cancel request, which could hit it too", async () => {
  const { all, answer, acceptedSockets, clientSocket } = await session(false)
  vi.advanceTimersByTime(lateMs)
  const request = await requested(acceptedSockets)
  // The server ends the first statement before the cancel request arrives.
  await answer(ready)
  clientSocket.write(second)
  await turns()
  expect(all().includes(second)).toBe(false)
  request.end()
  while (!all().includes(second)) await turn()
})

it("ends the session if a cancel request is lost, because it could still arrive", async () => {
  const { answer, acceptedSockets, failed } = await session(false)
  vi.advanceTimersByTime(lateMs)
  const request = await requested(acceptedSockets)
  await answer(ready)
  request.resetAndDestroy()
  expect(String(await failed)).toContain("a cancel request")
})

it("sends no cancel request to a server that ends late statements itself", async () => {
  const { all, answer, acceptedSockets, clientSocket } = await session(true)
  vi.advanceTimersByTime(lateMs)
  await turns()
  await answer(ready)
  clientSocket.write(second)
  while (!all().includes(second)) await turn()
  expect(acceptedSockets.length).toBe(1)
})
