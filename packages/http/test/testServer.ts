import { NodeHttpServer } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { type Json, makeApi, withOpenApiDocument } from "@tapeline/api"
import {
  type AdminStore,
  defaultPlans,
  type IdentityStore,
  layerEngine,
  type PlanTable,
  Sessions,
  type Tool,
  Toolbox,
  type ToolSpecification,
  Webhooks,
  WebhookSender
} from "@tapeline/core"
import { parseResponses } from "@tapeline/document"
import { addResponses } from "@tapeline/document/validateResponses"
import {
  AdminToken,
  Draining,
  type HttpSettings,
  layerRoutes,
  makeNodeServer,
  type NodeServerSettings,
  Readiness,
  serve
} from "@tapeline/http"
import { MemoryStores } from "@tapeline/testing"
import { Effect, Layer, Logger, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { OpenApi } from "effect/http-api"
import { once } from "node:events"
import { connect } from "node:net"
import { testTools } from "./testTools.ts"

export const documentOf = (tools: ReadonlyArray<{ readonly specification: ToolSpecification }>): Json =>
  OpenApi.fromApi(withOpenApiDocument(makeApi(tools.map(({ specification }) => specification))))

export const testAdminToken = "administration-token-of-this-test"

/** Plans whose rate limits allow all requests of a test file within one minute. */
export const testPlans: PlanTable = {
  ...defaultPlans,
  pro: { ...defaultPlans["pro"]!, requests_per_minute: 100_000 },
  premium: { ...defaultPlans["premium"]!, requests_per_minute: 100_000 },
  tiny: { monthly_credits: 7, keys: 2, requests_per_minute: 100_000, answers_per_day: 1 },
  narrow: { monthly_credits: 100, keys: 2, requests_per_minute: 3, answers_per_day: 1 }
}

/** Manages webhooks, and sends nothing. */
const layerTestWebhooks = Layer.provide(
  Webhooks.layer,
  Layer.succeed(WebhookSender, {
    checkUrl: (url) => url.startsWith("https://") ? null : "not_https",
    send: () => Effect.succeed({ _tag: "NoResponse", error: "failed" })
  })
)

/** The service in memory, on a free local port, whose log lines are appended to `log`. */
export const layerTestServer = (
  log: Array<string> = [],
  node: Partial<NodeServerSettings> = {},
  settings: HttpSettings = { corsOrigins: ["https://app.example.com"] },
  provider: Layer.Layer<never, never, AdminStore | IdentityStore | Sessions> = Layer.empty,
  { host = "127.0.0.1", readiness = Effect.void, tools = testTools }: {
    readonly host?: string
    readonly readiness?: Readiness["Service"]["check"]
    readonly tools?: ReadonlyArray<Tool<ToolSpecification, never>>
  } = {}
) =>
  serve(layerRoutes(settings)).pipe(
    Layer.provideMerge(NodeHttpServer.layer(() => makeNodeServer(node), { host, port: 0 })),
    Layer.provide(Layer.succeed(AdminToken, Redacted.make(testAdminToken))),
    Layer.provide(Layer.succeed(Readiness, { check: readiness })),
    Layer.provideMerge(Draining.layer),
    Layer.provideMerge(provider),
    Layer.provideMerge(Sessions.layer),
    Layer.provideMerge(layerTestWebhooks),
    Layer.provideMerge(layerEngine({ toolbox: Toolbox.layer(tools), plans: testPlans })),
    Layer.provideMerge(MemoryStores),
    Layer.provide(Logger.layer([Logger.make((entry) => void log.push(Logger.formatJson.log(entry)))]))
  )

/** Sends a request over a real socket. */
export const sendRequest = Effect.fnUntraced(function*(
  method: string,
  path: string,
  options: { readonly key?: string; readonly body?: string | object; readonly headers?: Record<string, string> } = {}
) {
  const { address } = yield* HttpServer.HttpServer
  const url = `${HttpServer.formatAddress(address)}${path}`
  const response = yield* Effect.promise((signal) =>
    fetch(url, {
      method,
      signal,
      headers: {
        ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
        ...(options.body === undefined ? {} : { "content-type": "application/json" }),
        ...options.headers
      },
      ...(options.body === undefined
        ? {}
        : {
          body: typeof options.body === "string" || options.body instanceof Uint8Array
            ? options.body
            : JSON.stringify(options.body)
        })
    })
  )
  const text = yield* Effect.promise(() => response.text())
  const isJson = response.headers.get("content-type")?.includes("json") === true
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== "" ? JSON.parse(text) : undefined
  }
})

/** Sends `text` unchanged on its own socket, and returns everything that the server sends until the socket closes. */
export const sendRaw = Effect.fnUntraced(function*(text: string) {
  const { address } = yield* HttpServer.HttpServer
  const { port } = new URL(HttpServer.formatAddress(address))
  const received = yield* Effect.callback<string>((resume) => {
    const received: Array<Buffer> = []
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(text))
    socket.on("data", (chunk) => received.push(chunk))
    socket.on("error", () => undefined)
    socket.on("close", () => resume(Effect.succeed(Buffer.concat(received).toString("utf8"))))
    return Effect.sync(() => socket.destroy())
  })
  addResponses(parseResponses(text, received))
  return received
})

/**
 * Sends a request without its body. When the server waits for the body, `send` sends the body and returns the response.
 */
export const sendHeadFirst = Effect.fnUntraced(function*(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: object
) {
  const { address } = yield* HttpServer.HttpServer
  const { port } = new URL(HttpServer.formatAddress(address))
  const text = JSON.stringify(body)
  const requestHeaders = {
    host: `127.0.0.1:${port}`,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(text)),
    connection: "close",
    expect: "100-continue",
    ...headers
  }
  const lines = Object.entries(requestHeaders).map(([name, value]) => `${name}: ${value}\r\n`).join("")
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => connect(Number(port), "127.0.0.1")),
    (socket) => Effect.sync(() => socket.destroy())
  )
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines}\r\n`)
  const [continueData] = yield* Effect.promise(() => once(socket, "data"))
  assert.strictEqual(String(continueData), "HTTP/1.1 100 Continue\r\n\r\n")
  const send = Effect.promise(async () => {
    let received = ""
    socket.on("data", (chunk) => received += String(chunk))
    socket.write(text)
    await once(socket, "close")
    return received
  })
  return { send }
})

type TestResponse = Effect.Success<ReturnType<typeof sendRequest>>

export const issuePathsOf = ({ body }: TestResponse): ReadonlyArray<ReadonlyArray<string | number>> =>
  body.issues.map(({ path }: { readonly path: ReadonlyArray<string | number> }) => path)

export const toolNamesOf = ({ body }: TestResponse): ReadonlyArray<string> =>
  body.tools.map(({ name }: { readonly name: string }) => name)
