import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { startServer, temporaryFolder } from "./support/process.ts"

/** A collector that takes OTLP over HTTP and keeps what it was sent, by path. */
const collector = Effect.acquireRelease(
  Effect.callback<{ readonly endpoint: string; readonly sent: Map<string, string>; readonly close: () => void }>(
    (resume) => {
      const sent = new Map<string, string>()
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const path = request.url ?? ""
          sent.set(path, (sent.get(path) ?? "") + Buffer.concat(chunks).toString("latin1"))
          response.setHeader("content-type", "application/json").end("{}")
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ endpoint: `http://127.0.0.1:${port}`, sent, close: () => void server.close() }))
      })
    }
  ),
  ({ close }) => Effect.sync(close)
)

it.live("traces, metrics and logs go to the OTLP endpoint, and no key goes with them", () =>
  Effect.gen(function*() {
    const { endpoint, sent } = yield* collector
    const server = yield* startServer({
      TAPELINE_DATA_DIR: yield* temporaryFolder,
      TAPELINE_LOG_LEVEL: "Debug",
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint
    })
    const key = server.demoKey!
    yield* Effect.promise(() =>
      fetch(`${server.address}/v1/tools/get_price`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ coin: "BTC" })
      })
    )
    server.signal("SIGTERM")
    assert.deepStrictEqual(yield* server.ended, { code: 0, signal: null })
    assert.include(sent.get("/v1/traces"), "ToolCaller.call")
    assert.include(sent.get("/v1/metrics"), "tapeline_calls")
    assert.include(sent.get("/v1/logs"), "Tapeline listens")
    for (const text of sent.values()) assert.notInclude(text, key.slice(8, 40))
  }), 60_000)
