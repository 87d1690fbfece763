import { assert, layer } from "@effect/vitest"
import { makeNodeServer } from "@tapeline/http"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { once } from "node:events"
import { request as httpRequest, type ServerResponse } from "node:http"
import { connect, type Socket } from "node:net"
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises"
import { layerTestServer, sendRaw } from "./testServer.ts"

const parse = (raw: string) => {
  const [head = "", body = ""] = raw.split("\r\n\r\n", 2)
  const [line = "", ...lines] = head.split("\r\n")
  const headers = new Headers(
    lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()])
  )
  return { status: Number(line.split(" ")[1]), headers, body: body === "" ? undefined : JSON.parse(body) }
}

const assertProblem = (raw: string, status: number, code: string) => {
  const { body, headers, status: got } = parse(raw)
  assert.strictEqual(got, status, raw)
  assert.strictEqual(headers.get("content-type"), "application/problem+json")
  assert.strictEqual(headers.get("content-language"), "en")
  assert.strictEqual(headers.get("connection"), "close")
  assert.match(headers.get("x-request-id")!, /^[0-9a-f-]{36}$/)
  assert.strictEqual(body.request_id, headers.get("x-request-id"))
  assert.strictEqual(body.code, code)
  assert.strictEqual(body.status, status)
  assert.isTrue(body.detail.length > 0)
}

/**
 * Sends each text after the response to the previous text, and returns the last response. If `isClosing` is true, then
 * half-closes the connection.
 */
const exchangeTexts = Effect.fnUntraced(function*(texts: ReadonlyArray<string>, isClosing: boolean) {
  const { address } = yield* HttpServer.HttpServer
  const { port } = new URL(HttpServer.formatAddress(address))
  return yield* Effect.promise(async (signal) => {
    const socket = connect({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true, signal })
    for (const text of texts.slice(0, -1)) {
      const answered = once(socket, "data")
      socket.write(text)
      await answered
    }
    let received = ""
    socket.on("data", (chunk) => received += String(chunk))
    socket.write(texts.at(-1)!)
    if (isClosing) socket.end()
    await once(socket, "end")
    socket.destroy()
    return received
  })
})
const exchangeAfter = (earlier: string, text: string) => exchangeTexts([earlier, text], false)
const exchangeHalfClosed = (text: string) => exchangeTexts([text], true)

const startedServer = Effect.gen(function*() {
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => makeNodeServer()),
    (server) => Effect.sync(() => server.closeAllConnections())
  )
  yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
  const address = server.address()
  assert(typeof address === "object" && address !== null)
  return { port: address.port, server }
})

layer(layerTestServer(), { excludeTestServices: true })("the HTTP server", (it) => {
  it.effect("returns a problem with a request id for a request that Node rejects", () =>
    Effect.gen(function*() {
      assertProblem(yield* sendRaw("nonsense\r\n\r\n"), 400, "invalid_request")
      assertProblem(yield* sendRaw("GET / HTTP/9.9\r\nHost: x\r\n\r\n"), 400, "invalid_request")
      assertProblem(
        yield* sendRaw(`GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${"a".repeat(40_000)}\r\n\r\n`),
        431,
        "headers_too_large"
      )
    }))

  it.effect("returns 400 for a version other than HTTP/1.0 and HTTP/1.1", () =>
    Effect.gen(function*() {
      for (const version of ["0.9", "1.2", "2.0", "3.0"]) {
        assertProblem(
          yield* sendRaw(`GET /healthz HTTP/${version}\r\nHost: x\r\n\r\n`),
          400,
          "invalid_request"
        )
      }
      assertProblem(yield* sendRaw("GET /healthz\r\n\r\n"), 400, "invalid_request")
    }))

  it.effect("sends one response and closes the connection after a request with Connection: close", () =>
    Effect.gen(function*() {
      const request = "GET /healthz HTTP/1.1\r\nHost: x\r\n"
      for (const after of [`${request}\r\n`, "nonsense\r\n\r\n"]) {
        const received = yield* sendRaw(`${request}Connection: close\r\n\r\n${after}`)
        assert.lengthOf(received.match(/HTTP\/1\.1 \d/g) ?? [], 1, received)
        assert.strictEqual(parse(received).status, 200)
      }
    }))

  it.effect("ignores an unknown Expect header, and rejects CONNECT", () =>
    Effect.gen(function*() {
      const waiting = yield* sendRaw(
        "GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: more\r\nConnection: close\r\n\r\n"
      )
      assert.strictEqual(parse(waiting).status, 200)
      assert.match(parse(waiting).headers.get("x-request-id")!, /^[0-9a-f-]{36}$/)
      assertProblem(yield* sendRaw("CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\n"), 400, "invalid_request")
    }))

  it.effect("ignores an offered protocol upgrade, and answers the request in HTTP/1.1", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const body = `{"coin":"BTC"}`
      const bodies = [
        `Content-Length: ${body.length}\r\n\r\n${body}`,
        `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
      ]
      for (const rest of bodies) {
        const answered = yield* sendRaw(
          "POST /v1/tools/test_price HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\n" +
            `Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Type: application/json\r\n` +
            `Authorization: Bearer ${key}\r\n${rest}`
        )
        assert.deepInclude(parse(answered).body, { tool: "test_price", credits_used: 1 }, answered)
      }
    }))

  it.effect("returns 400 for a body with a transfer coding other than chunked", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const coded = (coding: string) =>
        sendRaw(
          `POST /v1/tools/test_price HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: ${coding}\r\n` +
            `Content-Type: application/json\r\nAuthorization: Bearer ${key}\r\n\r\ne\r\n{"coin":"BTC"}\r\n0\r\n\r\n`
        )
      assertProblem(yield* coded("gzip, chunked"), 400, "invalid_request")
      // Node's parser rejects these requests after the routes have received them, but each request gets only one
      // response.
      for (const coding of ["gzip", "identity", "x", "xchunked"]) {
        const answered = yield* coded(coding)
        assertProblem(answered, 400, "invalid_request")
        assert.lengthOf(answered.match(/HTTP\/1\.1 \d/g) ?? [], 1, answered)
      }
      assert.strictEqual(parse(yield* coded("Chunked")).status, 200)
    }))

  it.effect("rejects a coding after `chunked`, an empty one and a repeated one with one 400 at once", () =>
    Effect.gen(function*() {
      const codings = ["chunked, gzip", "chunked, chunked", "chunked,", "", "chunked\r\nTransfer-Encoding: foo"]
      const before = performance.now()
      for (const coding of codings) {
        for (const earlier of ["", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"]) {
          const request = `POST /v1/tools/test_price HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${coding}\r\n\r\n` +
            "2\r\n{}\r\n0\r\n\r\n"
          const answered = earlier === "" ? yield* sendRaw(request) : yield* exchangeAfter(earlier, request)
          assertProblem(answered, 400, "invalid_request")
          assert.lengthOf(answered.match(/HTTP\/1\.1 \d/g) ?? [], 1, answered)
        }
      }
      assert.isBelow(performance.now() - before, 10_000)
    }))

  it.effect("answers a client that closes its side after a complete request", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const head = `Host: x\r\nAuthorization: Bearer ${key}\r\n`
      const body = `{"coin":"BTC"}`
      const call = `POST /v1/tools/test_price HTTP/1.1\r\n${head}Content-Type: application/json\r\n`
      const requests = [
        `GET /v1/tools HTTP/1.1\r\n${head}\r\n`,
        `${call}Content-Length: ${body.length}\r\n\r\n${body}`,
        `${call}Transfer-Encoding: chunked\r\n\r\ne\r\n${body}\r\n0\r\n\r\n`
      ]
      for (const request of requests) {
        const answered = yield* exchangeHalfClosed(request)
        assert.strictEqual(parse(answered.replace(/^(HTTP\/1\.1 100 Continue\r\n\r\n)+/, "")).status, 200, answered)
      }
      // For HTTP/1.0, the server sends no interim responses.
      assert.match(yield* exchangeHalfClosed(`GET /v1/tools HTTP/1.0\r\n${head}\r\n`), /^HTTP\/1\.1 200 OK/)
      const two = yield* exchangeHalfClosed(`${requests[1]}${requests[0]}`)
      assert.lengthOf(two.match(/HTTP\/1\.1 200 OK/g) ?? [], 2, two)
      // A half-closed request with an incomplete body is not answered with 200.
      const cut = yield* exchangeHalfClosed(`${call}Content-Length: 100\r\n\r\n${body}`)
      assert.notInclude(cut, "HTTP/1.1 200")
    }))

  it.effect("ends a slow request whose client disconnected, and a stream whose client closed its side", () =>
    Effect.gen(function*() {
      const { port, server } = yield* startedServer
      const received = async (socket: Socket, path: string) => {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
        const [, response]: Array<ServerResponse> = await once(server, "request")
        return response!
      }
      yield* Effect.promise(async () => {
        const come = () => connect({ port, host: "127.0.0.1", allowHalfOpen: true })
        const [waiting, gone, reading] = [come(), come(), come()]
        const slow = await received(waiting, "/slow")
        const abandoned = await received(gone, "/slow")
        const stream = await received(reading, "/stream")
        stream.writeHead(200).write("first")
        await once(reading, "data")
        const closed = [once(abandoned, "close"), once(stream, "close")]
        const interim = once(waiting, "data")
        waiting.end()
        gone.destroy()
        reading.end()
        await Promise.all(closed)
        assert.match(String((await interim)[0]), /^HTTP\/1\.1 100 Continue\r\n\r\n/)
        let text = ""
        waiting.on("data", (chunk) => text += String(chunk))
        slow.end("last")
        await once(waiting, "end")
        assert.match(text, /HTTP\/1\.1 200 OK[^]*last$/)
      })
    }))

  it.effect("sends the second of two pipelined responses if the client closes its side during the first", () =>
    Effect.gen(function*() {
      const { port, server } = yield* startedServer
      yield* Effect.promise(async () => {
        const responses: Array<ServerResponse> = []
        const { promise: arrived, resolve } = Promise.withResolvers<void>()
        server.on("request", (_, response) => responses.push(response) === 2 && resolve())
        const accepted: Promise<ReadonlyArray<Socket>> = once(server, "connection")
        const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
        const [socket] = await accepted
        client.write("GET /long HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2))
        await arrived
        const [first, second] = responses
        first!.writeHead(200).write("begins, ")
        let text = ""
        client.on("data", (chunk) => text += String(chunk)).end()
        await once(socket!, "end")
        first!.end("ends")
        second!.end("later")
        await once(client, "end")
        assert.match(text, /begins, [^]*ends[^]*HTTP\/1\.1 200 OK[^]*later$/)
      })
    }))

  it.effect("ends all requests of a client that disconnected after pipelined or HTTP/1.0 requests", () =>
    Effect.gen(function*() {
      const { port, server } = yield* startedServer
      yield* Effect.promise(async () => {
        for (const [version, times] of [["1.1", 2], ["1.0", 1], ["1.0", 2]] as const) {
          const closed: Array<Promise<unknown>> = []
          const client = connect({ port, host: "127.0.0.1" })
          const { promise: arrived, resolve } = Promise.withResolvers<void>()
          const note = (_: unknown, response: ServerResponse) => {
            if (closed.push(once(response, "close")) === times) resolve()
          }
          server.on("request", note)
          client.write(`GET /slow HTTP/${version}\r\nHost: x\r\nConnection: keep-alive\r\n\r\n`.repeat(times))
          await arrived
          // If an HTTP/1.0 client closes its sending side immediately, the server assumes that the client still reads.
          if (version === "1.0") await sleep(150)
          client.destroy()
          await Promise.all(closed)
          server.off("request", note)
        }
      })
    }))

  it.effect("answers a request that arrived before a request handler was attached", () =>
    Effect.gen(function*() {
      const server = yield* Effect.acquireRelease(
        Effect.sync(() => makeNodeServer()),
        (server) => Effect.sync(() => server.close())
      )
      yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
      const address = server.address()
      assert(typeof address === "object" && address !== null)
      const asking = httpRequest({ port: address.port, path: "/early", headers: { expect: "100-continue" } })
      const answered = once(asking, "response")
      asking.flushHeaders()
      // The event proves that the server has received the request.
      yield* Effect.promise(() => once(asking, "continue"))
      asking.end()
      server.on("request", (request, response) => response.writeHead(204, { "x-path": request.url }).end())
      const [response] = yield* Effect.promise(() => answered)
      assert.deepInclude(response.headers, { "x-path": "/early" })
    }))

  it.effect(
    "waits on close for requests that have begun, and closes idle connections",
    () =>
      Effect.gen(function*() {
        const server = yield* Effect.acquireRelease(
          Effect.sync(() => makeNodeServer()),
          (server) => Effect.sync(() => server.closeAllConnections())
        )
        yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
        const address = server.address()
        assert(typeof address === "object" && address !== null)
        const come = async (): Promise<readonly [here: Socket, there: Socket]> => {
          const accepted = once(server, "connection")
          const here = connect(address.port, "127.0.0.1").on("error", () => undefined)
          return [here, (await accepted)[0]]
        }
        server.on("request", (request, response) => {
          if (request.url === "/stream") server.emit("stream", response.writeHead(200))
          else response.writeHead(204, { "x-path": request.url }).end()
        })
        yield* Effect.promise(async () => {
          const [silent] = await come()
          const [asking, asked] = await come()
          const [reading] = await come()
          const streamed = once(server, "stream")
          reading.write("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
          const [stream]: Array<ServerResponse> = await streamed
          const answer = once(asking, "data")
          asking.write("GET /slow HTTP/1.1\r\n")
          while (asked.bytesRead === 0) await turn()
          const [closed, left] = [once(server, "close"), once(silent, "close")]
          server.close()
          await left
          asking.write("Host: x\r\n\r\n")
          assert.match(String(await answer), /x-path: \/slow/)
          const told = once(reading, "data")
          stream!.end("the last")
          assert.match(String(await told), /the last/)
          await closed
        })
      }),
    10_000
  )

  it.effect("returns 400 for a repeated, missing or invalid Host, and for two credentials", () =>
    Effect.gen(function*() {
      const ask = (headers: string) => sendRaw(`GET /healthz HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`)
      // The server closes the connection, and drops a request that follows the rejected one.
      for (const headers of ["", "Host: a b\r\n", "Host: a\r\nHost: b\r\n"]) {
        const received = yield* sendRaw(
          `GET /healthz HTTP/1.1\r\n${headers}\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`
        )
        assertProblem(received, 400, "invalid_request")
        assert.lengthOf(received.match(/HTTP\/1\.1 \d/g) ?? [], 1, received)
      }
      assertProblem(yield* ask("Host: a\r\nHost: b\r\n"), 400, "invalid_request")
      assertProblem(yield* ask(""), 400, "invalid_request")
      for (const host of ["", "a b", "a/b", "http://a", "[::1", "a:port", "u@a"]) {
        assertProblem(yield* ask(`Host: ${host}\r\n`), 400, "invalid_request")
      }
      for (const host of ["a", "a.example:8787", "127.0.0.1:1", "[::1]:8787"]) {
        assert.strictEqual(parse(yield* ask(`Host: ${host}\r\n`)).status, 200, host)
      }
      assertProblem(
        yield* ask("Host: a\r\nAuthorization: Bearer x\r\nAuthorization: Bearer y\r\n"),
        400,
        "invalid_request"
      )
      assert.strictEqual(parse(yield* ask("Host: a\r\n")).status, 200)
    }))

  it.effect("returns 400 with the header's name if Idempotency-Key is sent twice", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const call = (tool: string) =>
        sendRaw(
          `POST /v1/tools/${tool} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
            "Idempotency-Key: a\r\nIdempotency-Key: b\r\nConnection: close\r\n\r\n"
        )
      const refused = parse(yield* call("test_korea"))
      assert.strictEqual(refused.status, 400)
      assert.deepStrictEqual(refused.body.issues, [
        { path: ["Idempotency-Key"], message: "Send the header Idempotency-Key once." }
      ])
      assert.strictEqual(parse(yield* call("get_nothing")).status, 404)
    }))

  it.effect("closes the connection at once if it rejects a request before its body arrived", () =>
    Effect.gen(function*() {
      // The request bodies are never sent, so the requests end only when the server closes the connection.
      const head = "Host: x\r\nContent-Type: application/json\r\n"
      for (
        const [path, more, status] of [
          ["/v1/tools/test_price", "Content-Length: 100\r\n", 401],
          ["/v1/nowhere", "Content-Length: 100\r\n", 404],
          ["/v1/tools/test_price", "Transfer-Encoding: chunked\r\n", 401]
        ] as const
      ) {
        const { headers, status: got } = parse(yield* sendRaw(`POST ${path} HTTP/1.1\r\n${head}${more}\r\n`))
        assert.strictEqual(got, status)
        assert.strictEqual(headers.get("connection"), "close")
      }
      const { key } = yield* createKeyedAccount()
      const large = parse(
        yield* sendRaw(
          `POST /v1/tools/test_price HTTP/1.1\r\n${head}Authorization: Bearer ${key}\r\nContent-Length: 9999999\r\n\r\n`
        )
      )
      assert.strictEqual(large.status, 413)
    }))
})

layer(layerTestServer([], { headersTimeoutMs: 200, requestTimeoutMs: 400 }), { excludeTestServices: true })(
  "a server with short timeouts",
  (it) => {
    it.effect("returns 408 and closes the connection if a head or a body does not arrive", () =>
      Effect.gen(function*() {
        const { key } = yield* createKeyedAccount()
        assertProblem(yield* sendRaw("GET /healthz HTTP/1.1\r\nHos"), 408, "request_timeout")
        assertProblem(
          yield* sendRaw(
            `POST /v1/tools/test_price HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
              `Content-Type: application/json\r\nContent-Length: 20\r\n\r\n{"coin"`
          ),
          408,
          "request_timeout"
        )
      }))
  }
)
