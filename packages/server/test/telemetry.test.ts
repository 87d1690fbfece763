import { assert, it } from "@effect/vitest"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Deferred, Effect, Fiber, Layer, Logger, References, Schema } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { readFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { vi } from "vitest"
import { layerExportClient, layerLogs, layerOtlp } from "../src/telemetry.ts"
import { startServer } from "./support/process.ts"
import { makePglite } from "./support/testDatabases.ts"

const Attributes = Schema.Array(Schema.Struct({
  key: Schema.String,
  value: Schema.Struct({ stringValue: Schema.optionalKey(Schema.String) })
}))
const Resource = Schema.Struct({ attributes: Attributes })
const Span = Schema.Struct({
  name: Schema.String,
  traceId: Schema.String,
  spanId: Schema.String,
  parentSpanId: Schema.optionalKey(Schema.String)
})
const Point = Schema.Struct({
  asDouble: Schema.optionalKey(Schema.Number),
  asInt: Schema.optionalKey(Schema.Union([Schema.Number, Schema.String])),
  attributes: Attributes
})

/** The fields of OTLP bodies that the tests read, in OTLP's JSON encoding. */
const Traces = Schema.Struct({
  resourceSpans: Schema.Array(Schema.Struct({
    resource: Resource,
    scopeSpans: Schema.Array(Schema.Struct({ spans: Schema.Array(Span) }))
  }))
})
const Metrics = Schema.Struct({
  resourceMetrics: Schema.Array(Schema.Struct({
    resource: Resource,
    scopeMetrics: Schema.Array(Schema.Struct({
      metrics: Schema.Array(Schema.Struct({
        name: Schema.String,
        sum: Schema.optionalKey(Schema.Struct({ dataPoints: Schema.Array(Point) }))
      }))
    }))
  }))
})
const Logs = Schema.Struct({
  resourceLogs: Schema.Array(Schema.Struct({
    resource: Resource,
    scopeLogs: Schema.Array(Schema.Struct({
      logRecords: Schema.Array(
        Schema.Struct({ body: Schema.Struct({ stringValue: Schema.optionalKey(Schema.String) }) })
      )
    }))
  }))
})

const collector = (options: { readonly silent: boolean }) =>
  Effect.acquireRelease(
    Effect.gen(function*() {
      const sent = new Map<string, Array<string>>()
      const headers: Array<IncomingHttpHeaders> = []
      const first = yield* Deferred.make<string>()
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const path = request.url ?? ""
          headers.push(request.headers)
          sent.set(path, [...(sent.get(path) ?? []), Buffer.concat(chunks).toString("utf8")])
          Effect.runSync(Deferred.succeed(first, path))
          if (!options.silent) response.setHeader("content-type", "application/json").end("{}")
        })
      })
      yield* Effect.promise(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)))
      // The server listens on TCP, so its address has a port.
      const { port } = server.address() as AddressInfo
      const read = <A>(path: string, schema: Schema.Decoder<A>): ReadonlyArray<A> =>
        (sent.get(path) ?? []).map((body) => Schema.decodeUnknownSync(Schema.fromJsonString(schema))(body))
      return { endpoint: `http://127.0.0.1:${port}`, first, headers, sent, server, read }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )

const call = (server: { readonly address: string; readonly demoKey: string | undefined }) =>
  Effect.promise(() =>
    fetch(`${server.address}/v1/tools/get_price`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.demoKey}`, "content-type": "application/json" },
      body: JSON.stringify({ coin: "BTC" })
    })
  )

it.live.runIf(isFullRun)(
  "sends traces, metrics and logs to the OTLP endpoint, without any key",
  () =>
    Effect.gen(function*() {
      const { endpoint, headers, read, sent } = yield* collector({ silent: false })
      const server = yield* startServer({
        ...(yield* makePglite()).environment,
        TAPELINE_LOG_LEVEL: "Debug",
        OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/`,
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20c2VjcmV0OmhlYWRlcg==, x-tenant = desk",
        OTEL_SERVICE_NAME: "tapeline-eu",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=a%2Cb,service.name=other"
      })
      assert.strictEqual((yield* call(server)).status, 200)
      server.signal("SIGTERM")
      assert.deepStrictEqual(yield* server.awaitExit, { code: 0, signal: null })

      const traces = read("/v1/traces", Traces).flatMap(({ resourceSpans }) => resourceSpans)
      const metrics = read("/v1/metrics", Metrics).flatMap(({ resourceMetrics }) => resourceMetrics)
      const logs = read("/v1/logs", Logs).flatMap(({ resourceLogs }) => resourceLogs)
      const resources = [...traces, ...metrics, ...logs].map(({ resource }) =>
        Object.fromEntries(resource.attributes.map(({ key, value }) => [key, value.stringValue]))
      )
      const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
      const instance = resources[0]?.["service.instance.id"] ?? ""
      assert.match(instance, /^[0-9a-f-]{36}$/)
      for (const resource of resources) {
        assert.deepInclude(resource, {
          "service.name": "tapeline-eu",
          "service.version": version,
          "service.instance.id": instance,
          "deployment.environment.name": "a,b"
        })
      }
      for (const one of headers) {
        assert.deepInclude(one, { authorization: "Basic c2VjcmV0OmhlYWRlcg==", "x-tenant": "desk" })
      }

      const spans = traces.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
      const ofCall = spans.find(({ name }) => name === "ToolCaller.call")
      assert.isDefined(
        spans.find(({ spanId, traceId }) => spanId === ofCall?.parentSpanId && traceId === ofCall.traceId)
      )

      const calls = metrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
        .filter(({ name }) => name === "tapeline_calls").at(-1)
      // The counters of all tools exist as soon as the server has started.
      const ok = calls?.sum?.dataPoints.filter(({ attributes }) =>
        attributes.some(({ key, value }) => key === "outcome" && value.stringValue === "ok")
      ) ?? []
      const counts = ok.map(({ asDouble, asInt }) =>
        Number(asInt ?? asDouble)
      )
      assert.isAbove(counts.length, 1)
      assert.deepStrictEqual(counts.filter((count) => count > 0), [1])

      const lines = logs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords))
      assert.isTrue(lines.some(({ body }) => body.stringValue?.includes("Tapeline listens") === true))

      assert.isDefined(server.demoKey)
      for (const text of [...[...sent.values()].flat(), server.stdout(), server.stderr()]) {
        assert.notInclude(text, "c2VjcmV0OmhlYWRlcg")
      }
      for (const text of [...sent.values()].flat()) assert.notInclude(text, server.demoKey.slice(8, 40))
    }),
  60_000
)

it.live.runIf(isFullRun)(
  "a collector that never answers delays neither a call nor the stop",
  () =>
    Effect.gen(function*() {
      const { endpoint, first } = yield* collector({ silent: true })
      const server = yield* startServer({
        ...(yield* makePglite()).environment,
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint
      })
      yield* Deferred.await(first)
      assert.strictEqual((yield* call(server)).status, 200)
      server.signal("SIGTERM")
      assert.deepStrictEqual(yield* server.awaitExit, { code: 0, signal: null })
    }),
  60_000
)

it.effect("logs once that the collector fails, and once that it accepts telemetry again", () => {
  const logged: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void logged.push(`${logLevel} ${String(message)}`))
  /**
   * How the collector reacts to the next requests: with a status, without a response, or by refusing the connection.
   */
  let does: number | "silent" | "gone" = 200
  const collector = HttpClient.make((request) => {
    if (does === "silent") return Effect.never
    if (typeof does === "number") {
      return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status: does })))
    }
    const cause = new TypeError("fetch failed", { cause: Object.assign(new Error("no"), { code: "ECONNREFUSED" }) })
    const reason = new HttpClientError.TransportError({ request, cause })
    return Effect.fail(new HttpClientError.HttpClientError({ reason }))
  })
  return Effect.gen(function*() {
    const client = yield* HttpClient.HttpClient
    const send = Effect.fnUntraced(function*(signal: string, answer: typeof does) {
      does = answer
      const sent = yield* Effect.forkChild(Effect.exit(client.post(`http://user:secret@collector/v1/${signal}`)))
      yield* TestClock.adjust("6 seconds")
      yield* Fiber.join(sent)
    })
    yield* send("traces", 200)
    for (const signal of ["traces", "metrics", "traces"]) yield* send(signal, "gone")
    assert.deepStrictEqual(logged.splice(0), [
      "Warn OTEL_EXPORTER_OTLP_ENDPOINT: the collector does not accept telemetry (ECONNREFUSED), so it is dropped"
    ])
    yield* send("traces", 200)
    assert.deepStrictEqual(logged, [])
    yield* send("metrics", 200)
    assert.deepStrictEqual(logged.splice(0), [
      "Info OTEL_EXPORTER_OTLP_ENDPOINT: the collector accepts telemetry again"
    ])
    yield* send("logs", 404)
    yield* send("logs", 200)
    yield* send("logs", "silent")
    assert.match(logged.join("\n"), /\(status 404\).*\n.*again\n.*\(no response within 5 seconds\)/)
  }).pipe(
    Effect.provide(layerExportClient.pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, collector)))),
    Effect.provide(Logger.layer([logger]))
  )
})

it.live("writes the message of every log line as text", () =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const consoleSpy = vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line))
    yield* Effect.all([Effect.logError("one"), Effect.logError("two", { three: 4 }, 5), Effect.logError({ six: 7 })])
      .pipe(
        Effect.provide(layerLogs("Info")),
        Effect.ensuring(Effect.sync(() => consoleSpy.mockRestore()))
      )
    assert.deepStrictEqual(lines.map((line) => JSON.parse(line).message), ["one", `two {"three":4} 5`, `{"six":7}`])
  }))

it.effect("records no span without an endpoint", () =>
  Effect.gen(function*() {
    assert.isFalse(yield* References.TracerEnabled)
    assert.isFalse(yield* Effect.useSpan("not recorded", (span) => Effect.succeed(span.sampled)))
  }).pipe(Effect.provide(layerOtlp(undefined))))
