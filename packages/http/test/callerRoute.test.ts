import { NodeHttpServer } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { implement, layerEngine, specify, Toolbox } from "@tapeline/core"
import { noArguments } from "@tapeline/core/engine"
import { acceptOtherDocuments } from "@tapeline/document/validateResponses"
import { AdminToken, Draining, layerRoutes, makeNodeServer, Readiness, serve } from "@tapeline/http"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { Effect, Latch, Layer, Redacted, Schema } from "effect"
import { HttpMiddleware, HttpRouter, HttpServer, HttpServerRequest } from "effect/http"
import { connect } from "node:net"
import { gzipSync } from "node:zlib"
import { documentOf, sendRaw, sendRequest, testAdminToken, testPlans } from "./testServer.ts"
import { testTools } from "./testTools.ts"

const rows = Array.from({ length: 500 }, (_, i) => `row ${i}`)

const long = implement(
  specify({
    name: "test_long",
    area: "crypto",
    scope: "read:market",
    credits: 1,
    summary: "Answers at length.",
    parameters: noArguments,
    result: Schema.Struct({ rows: Schema.Array(Schema.String) }),
    example: {}
  }),
  Effect.succeed(() => Effect.succeed({ rows }))
)

const hasStarted = Latch.makeUnsafe()
const left = Latch.makeUnsafe()

const endless = implement(
  specify({
    name: "test_endless",
    area: "crypto",
    scope: "read:market",
    credits: 1,
    summary: "Never answers.",
    parameters: noArguments,
    result: Schema.Struct({}),
    example: {}
  }),
  Effect.succeed(() => Effect.onInterrupt(Effect.andThen(hasStarted.open, Effect.never), () => left.open))
)

const tools = [...testTools, long, endless]
acceptOtherDocuments(() => documentOf(tools))

const routes = layerRoutes({ corsOrigins: [] })
const layerServices = Layer.mergeAll(
  Layer.succeed(AdminToken, Redacted.make(testAdminToken)),
  Layer.succeed(Readiness, { check: Effect.void }),
  Draining.layer,
  layerEngine({ toolbox: Toolbox.layer(tools), plans: testPlans }).pipe(
    Layer.provideMerge(MemoryStores)
  )
)
const listener = NodeHttpServer.layer(() => makeNodeServer(), { host: "127.0.0.1", port: 0 })

/** Returns the status of a raw response. The status 100 of an interim response is skipped. */
const statusOf = (raw: string) => Number(/^(?:HTTP\/1\.1 100 .*\r\n\r\n)?HTTP\/1\.1 (\d+)/.exec(raw)?.[1])

layer(serve(routes).pipe(Layer.provideMerge(listener), Layer.provideMerge(layerServices)), {
  excludeTestServices: true
})(
  "a tool call",
  (it) => {
    it.effect("accepts the same Authorization header formats as other operations", () =>
      Effect.gen(function*() {
        const { key } = yield* createKeyedAccount()
        const authorizationCases: ReadonlyArray<readonly [string, number]> = [
          [`Bearer ${key}`, 200],
          [`bEaReR ${key}`, 200],
          [`Bearer    ${key}`, 200],
          [`Bearer \t${key}`, 401],
          [`Bearer\t${key}`, 401],
          [`Bearer${key}`, 401],
          [`Basic ${key}`, 401],
          [key, 401],
          ["Bearer", 401],
          ["Bearer ", 401]
        ]
        for (const [authorization, status] of authorizationCases) {
          const requestHead = `Host: x\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`
          for (const line of ["GET /v1/usage", "POST /v1/tools/test_korea"]) {
            assert.strictEqual(statusOf(yield* sendRaw(`${line} HTTP/1.1\r\n${requestHead}`)), status, authorization)
          }
        }
      }))

    it.effect("reads a body with a length, in chunks, after 100-continue, or with an upgrade offer", () =>
      Effect.gen(function*() {
        const { key } = yield* createKeyedAccount()
        const requestHead = `POST /v1/tools/test_price HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
          "Content-Type: application/json\r\n"
        const body = `{"coin":"BTC"}`
        const contentLength = `Content-Length: ${body.length}\r\n`
        const rawRequests = [
          `${requestHead}${contentLength}Connection: close\r\n\r\n${body}`,
          `${requestHead}${contentLength}Connection: close\r\nExpect: 100-continue\r\n\r\n${body}`,
          `${requestHead}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n7\r\n{"coin"\r\n7\r\n:"BTC"}\r\n0\r\n\r\n`,
          // curl requests HTTP/2 with an upgrade in the first request. The server ignores the upgrade and responds with
          // HTTP/1.1.
          `${requestHead}${contentLength}Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAQAAP__\r\n\r\n${body}`,
          // A byte order mark before the JSON text is ignored.
          `${requestHead}Content-Length: ${body.length + 3}\r\nConnection: close\r\n\r\n\ufeff${body}`
        ]
        for (const request of rawRequests) assert.strictEqual(statusOf(yield* sendRaw(request)), 200, request)
        const two = yield* sendRaw(
          `${requestHead}${contentLength}\r\n${body}${requestHead}${contentLength}Connection: close\r\n\r\n${body}`
        )
        assert.strictEqual(two.match(/HTTP\/1\.1 200 /g)?.length, 2, "one after the other on one connection")
      }))

    it.effect("raises no uncaught error if its caller disconnects during the body of a pipelined call", () =>
      Effect.gen(function*() {
        const uncaughtErrors: Array<unknown> = []
        const note = (error: unknown) => void uncaughtErrors.push(error)
        process.on("uncaughtExceptionMonitor", note)
        yield* Effect.addFinalizer(() => Effect.sync(() => process.off("uncaughtExceptionMonitor", note)))
        const { key } = yield* createKeyedAccount()
        const { address } = yield* HttpServer.HttpServer
        const port = Number(new URL(HttpServer.formatAddress(address)).port)
        const call = (tool: string, length: number) =>
          `POST /v1/tools/${tool} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
        const socket = connect(
          port,
          "127.0.0.1",
          () => socket.write(`${call("test_endless", 2)}{}${call("test_price", 14)}{`)
        )
        yield* hasStarted.await
        assert.strictEqual((yield* sendRequest("GET", "/v1/usage", { key })).status, 200)
        socket.destroy()
        yield* left.await
        const { body } = yield* sendRequest("GET", "/v1/usage", { key })
        assert.deepStrictEqual([body.credits.used, body.credits.reserved], [0, 0])
        assert.deepStrictEqual(uncaughtErrors, [])
      }))

    it.effect("accepts an absolute URL and an empty query, and returns 404 for an empty tool name", () =>
      Effect.gen(function*() {
        const { key } = yield* createKeyedAccount()
        const requestHead = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`
        assert.strictEqual(statusOf(yield* sendRaw(`POST http://elsewhere/v1/tools/test_korea ${requestHead}`)), 200)
        assert.strictEqual(statusOf(yield* sendRaw(`POST /v1/tools/test_korea? ${requestHead}`)), 200)
        assert.include(yield* sendRaw(`POST /v1/tools/ ${requestHead}`), `"code":"unknown_tool"`)
        assert.include(yield* sendRaw(`POST /v1/tools/test_korea/x ${requestHead}`), `"code":"not_found"`)
      }))

    it.effect("compresses a long result if the client accepts it, and always sends Vary", () =>
      Effect.gen(function*() {
        const { key } = yield* createKeyedAccount()
        const call = (tool: string, encoding: string) =>
          sendRequest("POST", `/v1/tools/${tool}`, { key, headers: { "accept-encoding": encoding } })
        const uncompressed = yield* call("test_long", "identity")
        const zipped = yield* call("test_long", "gzip")
        const short = yield* call("test_korea", "gzip")
        assert.deepStrictEqual(
          [uncompressed, zipped, short].map(({ headers }) => headers.get("content-encoding")),
          [null, "gzip", null]
        )
        for (const { headers } of [uncompressed, zipped, short]) {
          assert.strictEqual(headers.get("vary"), "Accept-Encoding")
        }
        assert.deepStrictEqual(zipped.body.data, { rows })
        assert.deepStrictEqual(uncompressed.body.data, { rows })
      }))
  }
)

/**
 * Routes behind the middlewares of an embedder. One middleware decompresses bodies, and the other reads bodies before
 * the routes.
 */
const embedded = HttpRouter.serve(routes, {
  disableLogger: true,
  disableListenLog: true,
  middleware: (app) =>
    HttpMiddleware.decompression()(
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        request.headers["x-read-before"] === undefined ? app : Effect.andThen(Effect.orDie(request.text), app))
    )
})

layer(embedded.pipe(Layer.provideMerge(listener), Layer.provideMerge(layerServices)), { excludeTestServices: true })(
  "a tool call behind an embedder's middleware",
  (it) => {
    it.effect("reads the body that the middleware decompressed or has already read", () =>
      Effect.gen(function*() {
        const { key } = yield* createKeyedAccount()
        const body = `{"coin":"BTC"}`
        const call = (options: { readonly headers: Record<string, string>; readonly body: string | object }) =>
          sendRequest("POST", "/v1/tools/test_price", { key, ...options })
        const json = { "content-type": "application/json" }
        const zipped = yield* call({ headers: { ...json, "content-encoding": "gzip" }, body: gzipSync(body) })
        assert.strictEqual(zipped.status, 200, zipped.text)
        const readBefore = yield* call({ headers: { ...json, "x-read-before": "yes" }, body })
        assert.strictEqual(readBefore.status, 200, readBefore.text)
      }))
  }
)

layer(layerServices, { excludeTestServices: true })("a tool call on another platform", (it) => {
  it.effect("gets the same responses as on Node, also if it is rejected", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const context = yield* Effect.context<Layer.Success<typeof layerServices>>()
      const { dispose, handler } = HttpRouter.toWebHandler(
        routes.pipe(Layer.provide(Layer.succeedContext(context)), Layer.provide(NodeHttpServer.layerHttpServices)),
        { disableLogger: true }
      )
      yield* Effect.addFinalizer(() => Effect.promise(dispose))
      const call = (body: string) =>
        Effect.promise(() =>
          handler(
            new Request("http://elsewhere/v1/tools/test_price", {
              method: "POST",
              headers: { host: "elsewhere", authorization: `Bearer ${key}`, "content-type": "application/json" },
              body
            })
          )
        )
      const response = yield* call(`{"coin":"BTC"}`)
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers.get("ratelimit-remaining"), "99999")
      assert.include(yield* Effect.promise(() => response.text()), `"coin":"BTC"`)
      const rejection = yield* call(`{"coin":1}`)
      assert.strictEqual(rejection.status, 400)
      assert.strictEqual(rejection.headers.get("ratelimit-remaining"), "99998")
    }).pipe(Effect.scoped))
})
