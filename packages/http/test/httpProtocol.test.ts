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
  const { body, headers, status: actualStatus } = parse(raw)
  assert.strictEqual(actualStatus, status, raw)
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
 * Sends each text after the response to the previous text, and returns the last response. If `isClosing` is true, the
 * client half-closes the connection after the last text.
 */
const exchangeTexts = Effect.fnUntraced(function*(texts: ReadonlyArray<string>, isClosing: boolean) {
  const { address } = yield* HttpServer.HttpServer
  const { port } = new URL(HttpServer.formatAddress(address))
  return yield* Effect.promise(async (signal) => {
    const socket = connect({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true, signal })
    for (const text of texts.slice(0, -1)) {
      const dataEvent = once(socket, "data")
      socket.write(text)
      await dataEvent
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
        const rawResponse = yield* sendRaw(
          "POST /v1/tools/test_price HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\n" +
            `Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Type: application/json\r\n` +
            `Authorization: Bearer ${key}\r\n${rest}`
        )
        assert.deepInclude(parse(rawResponse).body, { tool: "test_price", credits_used: 1 }, rawResponse)
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
      // Node's parser rejects the following requests after the routes have received them, but each request gets only
      // one response.
      for (const coding of ["gzip", "identity", "x", "xchunked"]) {
        const response = yield* coded(coding)
        assertProblem(response, 400, "invalid_request")
        assert.lengthOf(response.match(/HTTP\/1\.1 \d/g) ?? [], 1, response)
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
          const rawResponse = earlier === "" ? yield* sendRaw(request) : yield* exchangeAfter(earlier, request)
          assertProblem(rawResponse, 400, "invalid_request")
          assert.lengthOf(rawResponse.match(/HTTP\/1\.1 \d/g) ?? [], 1, rawResponse)
        }
      }
      assert.isBelow(performance.now() - before, 10_000)
    }))

  it.effect("answers a client that closes its side after a complete request", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const requestHead = `Host: x\r\nAuthorization: Bearer ${key}\r\n`
      const body = `{"coin":"BTC"}`
      const call = `POST /v1/tools/test_price HTTP/1.1\r\n${requestHead}Content-Type: application/json\r\n`
      const requests = [
        `GET /v1/tools HTTP/1.1\r\n${requestHead}\r\n`,
        `${call}Content-Length: ${body.length}\r\n\r\n${body}`,
        `${call}Transfer-Encoding: chunked\r\n\r\ne\r\n${body}\r\n0\r\n\r\n`
      ]
      for (const request of requests) {
        const rawResponse = yield* exchangeHalfClosed(request)
        assert.strictEqual(
          parse(rawResponse.replace(/^(HTTP\/1\.1 100 Continue\r\n\r\n)+/, "")).status,
          200,
          rawResponse
        )
      }
      // An HTTP/1.0 client gets no interim responses.
      assert.match(yield* exchangeHalfClosed(`GET /v1/tools HTTP/1.0\r\n${requestHead}\r\n`), /^HTTP\/1\.1 200 OK/)
      const two = yield* exchangeHalfClosed(`${requests[1]}${requests[0]}`)
      assert.lengthOf(two.match(/HTTP\/1\.1 200 OK/g) ?? [], 2, two)
      // A half-closed request with an incomplete body is not answered with 200.
      const rawResponse = yield* exchangeHalfClosed(`${call}Content-Length: 100\r\n\r\n${body}`)
      assert.notInclude(rawResponse, "HTTP/1.1 200")
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
        const connectClient = () => connect({ port, host: "127.0.0.1", allowHalfOpen: true })
        const [waiting, disconnecting, reading] = [connectClient(), connectClient(), connectClient()]
        const slow = await received(waiting, "/slow")
        const abandoned = await received(disconnecting, "/slow")
        const stream = await received(reading, "/stream")
        stream.writeHead(200).write("first")
        await once(reading, "data")
        const closeEvents = [once(abandoned, "close"), once(stream, "close")]
        const continueEvent = once(waiting, "data")
        waiting.end()
        disconnecting.destroy()
        reading.end()
        await Promise.all(closeEvents)
        assert.match(String((await continueEvent)[0]), /^HTTP\/1\.1 100 Continue\r\n\r\n/)
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
        const { promise: allRequested, resolve } = Promise.withResolvers<void>()
        server.on("request", (_, response) => responses.push(response) === 2 && resolve())
        const accepted: Promise<ReadonlyArray<Socket>> = once(server, "connection")
        const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
        const [socket] = await accepted
        client.write("GET /long HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2))
        await allRequested
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
          const closeEvents: Array<Promise<unknown>> = []
          const client = connect({ port, host: "127.0.0.1" })
          const { promise: allRequested, resolve } = Promise.withResolvers<void>()
          const note = (_: unknown, response: ServerResponse) => {
            if (closeEvents.push(once(response, "close")) === times) resolve()
          }
          server.on("request", note)
          client.write(`GET /slow HTTP/${version}\r\nHost: x\r\nConnection: keep-alive\r\n\r\n`.repeat(times))
          await allRequested
          // If an HTTP/1.0 client closes its sending side immediately, the server assumes that the client still reads.
          if (version === "1.0") await sleep(150)
          client.destroy()
          await Promise.all(closeEvents)
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
      const request = httpRequest({ port: address.port, path: "/early", headers: { expect: "100-continue" } })
      const responseEvent = once(request, "response")
      request.flushHeaders()
      // The event `continue` proves that the server has received the request.
      yield* Effect.promise(() => once(request, "continue"))
      request.end()
      server.on("request", (request, response) => response.writeHead(204, { "x-path": request.url }).end())
      const [response] = yield* Effect.promise(() => responseEvent)
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
        const connectPair = async (): Promise<readonly [here: Socket, there: Socket]> => {
          const accepted = once(server, "connection")
          const clientSocket = connect(address.port, "127.0.0.1").on("error", () => undefined)
          return [clientSocket, (await accepted)[0]]
        }
        server.on("request", (request, response) => {
          if (request.url === "/stream") server.emit("stream", response.writeHead(200))
          else response.writeHead(204, { "x-path": request.url }).end()
        })
        yield* Effect.promise(async () => {
          const [silent] = await connectPair()
          const [requestingSocket, requestingOnServer] = await connectPair()
          const [reading] = await connectPair()
          const streamEvent = once(server, "stream")
          reading.write("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
          const [stream]: Array<ServerResponse> = await streamEvent
          const answer = once(requestingSocket, "data")
          requestingSocket.write("GET /slow HTTP/1.1\r\n")
          while (requestingOnServer.bytesRead === 0) await turn()
          const [serverClosed, left] = [once(server, "close"), once(silent, "close")]
          server.close()
          await left
          requestingSocket.write("Host: x\r\n\r\n")
          assert.match(String(await answer), /x-path: \/slow/)
          const dataEvent = once(reading, "data")
          stream!.end("the last")
          assert.match(String(await dataEvent), /the last/)
          await serverClosed
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
      const rejection = parse(yield* call("test_korea"))
      assert.strictEqual(rejection.status, 400)
      assert.deepStrictEqual(rejection.body.issues, [
        { path: ["Idempotency-Key"], message: "Send the header Idempotency-Key once." }
      ])
      assert.strictEqual(parse(yield* call("get_nothing")).status, 404)
    }))

  it.effect("closes the connection at once if it rejects a request before its body arrived", () =>
    Effect.gen(function*() {
      // The request bodies are never sent, so the requests end only when the server closes the connection.
      const requestHead = "Host: x\r\nContent-Type: application/json\r\n"
      for (
        const [path, extraHeaders, status] of [
          ["/v1/tools/test_price", "Content-Length: 100\r\n", 401],
          ["/v1/nowhere", "Content-Length: 100\r\n", 404],
          ["/v1/tools/test_price", "Transfer-Encoding: chunked\r\n", 401]
        ] as const
      ) {
        const { headers, status: actualStatus } = parse(
          yield* sendRaw(`POST ${path} HTTP/1.1\r\n${requestHead}${extraHeaders}\r\n`)
        )
        assert.strictEqual(actualStatus, status)
        assert.strictEqual(headers.get("connection"), "close")
      }
      const { key } = yield* createKeyedAccount()
      const large = parse(
        yield* sendRaw(
          `POST /v1/tools/test_price HTTP/1.1\r\n${requestHead}Authorization: Bearer ${key}\r\nContent-Length: 9999999\r\n\r\n`
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
