import { assert, it } from "@effect/vitest"
import { once } from "node:events"
import { createServer, get } from "node:http"
import { connect } from "node:net"
import { makeOpenExports, maxOpenExports } from "../src/streaming/openExports.ts"

const listen = async (maxStallMs: number, body: Buffer) => {
  const exports = makeOpenExports(maxStallMs)
  const closes: Array<Promise<unknown>> = []
  const server = createServer((request, response) => {
    const account = Number(request.url!.slice(1))
    if (exports.isFull(account)) return response.writeHead(429).end()
    exports.add(account, response)
    closes.push(once(response, "close"))
    response.writeHead(200)
    response.write(body)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = Object(server.address())
  return { exports, closes, port, [Symbol.dispose]: () => server.close().closeAllConnections() }
}

/** Requests an export, and reads only the start of the response. */
const openExport = async (port: number) => {
  const socket = connect(port, "127.0.0.1", () => socket.write("GET /1 HTTP/1.1\r\nhost: x\r\n\r\n"))
  socket.on("error", () => undefined)
  await once(socket, "readable")
  return { start: String(socket.read()), [Symbol.dispose]: () => socket.destroy() }
}

const largeBody = Buffer.alloc(64 * 1_024 * 1_024)

it("an account has a maximum number of open exports", async () => {
  using server = await listen(60_000, largeBody)
  using sockets = new DisposableStack()
  for (let i = 0; i < maxOpenExports; i++) sockets.use(await openExport(server.port))
  assert.isTrue(server.exports.isFull(1))
  assert.isFalse(server.exports.isFull(2))
  assert.match(sockets.use(await openExport(server.port)).start, /^HTTP\/1\.1 429 /)
})

it("an export whose reader stalls is ended", async () => {
  using server = await listen(200, largeBody)
  using sockets = new DisposableStack()
  for (let i = 0; i < maxOpenExports; i++) sockets.use(await openExport(server.port))
  await Promise.all(server.closes)
  assert.isFalse(server.exports.isFull(1))
})

it("an export is no longer open after its reader has disconnected", async () => {
  using server = await listen(60_000, Buffer.from("line\n"))
  const requests = [1, 2].map(() => get(`http://127.0.0.1:${server.port}/1`))
  for (const request of requests) {
    request.on("error", () => undefined)
    await once(request, "response")
  }
  assert.isTrue(server.exports.isFull(1))
  for (const request of requests) request.destroy()
  await Promise.all(server.closes)
  assert.isFalse(server.exports.isFull(1))
})

it("an export whose reader disconnected before its start is not open", async () => {
  const exports = makeOpenExports(60_000)
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const server = createServer((_, response) => {
    response.once("close", () => {
      for (let i = 0; i < maxOpenExports; i++) exports.add(1, response)
      resolve()
    })
    response.write("line\n")
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const request = get(`http://127.0.0.1:${Object(server.address()).port}/1`)
  request.on("error", () => undefined)
  await once(request, "response")
  request.destroy()
  await closed
  assert.isFalse(exports.isFull(1))
  server.close()
})
