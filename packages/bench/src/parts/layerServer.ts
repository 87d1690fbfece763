/**
 * One server for each layer of the service, from Node's own HTTP to an `HttpApi`. Each server parses the body and
 * responds with a price. `node layerServer.ts node` (or `serve`, `router`, `api`) starts a server, which prints its
 * URL.
 */
import { NodeHttpServer } from "@effect/platform-node"
import { makeNodeServer } from "@tapeline/http"
import { Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { createServer } from "node:http"

const makeResponse = (text: string): string => {
  // The cast is safe, because the load test sends an object with a coin.
  const { coin } = JSON.parse(text) as { readonly coin: string }
  const data = { coin, price: 91_092.85, change_24h_pct: 1.3, notes: [], as_of: new Date().toISOString() }
  return JSON.stringify({ tool: "get_price", credits_used: 1, credits_left: 59_999, took_ms: 0, data })
}

const startNode = () => {
  const server = createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk)).on("end", () => {
      const answer = makeResponse(text)
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(answer) })
      response.end(answer)
    })
  })
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    if (typeof address === "object" && address !== null) console.log(`listens on http://127.0.0.1:${address.port}`)
  })
}

const handler = Effect.gen(function*() {
  const request = yield* HttpServerRequest.HttpServerRequest
  return HttpServerResponse.text(makeResponse(yield* request.text), { contentType: "application/json" })
}).pipe(Effect.orDie)

const api = HttpApi.make("bench").add(
  HttpApiGroup.make("tools").add(
    HttpApiEndpoint.post("call", "/v1/tools/:name", { params: { name: Schema.String }, success: Schema.Unknown })
  )
)
const group = HttpApiBuilder.group(
  api,
  "tools",
  (handlers) => Effect.succeed(handlers.handleRaw("call", () => handler))
)

const quietOptions = { disableLogger: true, disableListenLog: true } as const
const layers = {
  serve: HttpServer.serve(handler),
  router: HttpRouter.serve(HttpRouter.add("POST", "/v1/tools/get_price", handler), quietOptions),
  api: HttpRouter.serve(Layer.provide(HttpApiBuilder.layer(api), group), quietOptions)
}

const printAddress = Layer.effectDiscard(
  Effect.map(HttpServer.HttpServer, ({ address }) => console.log(`listens on ${HttpServer.formatAddress(address)}`))
)

const name = process.argv[2]
if (name === "node") startNode()
else if (name === "serve" || name === "router" || name === "api") {
  const server = Layer.mergeAll(layers[name], printAddress).pipe(
    Layer.provide(NodeHttpServer.layer(() => makeNodeServer(), { host: "127.0.0.1", port: 0 }))
  )
  await Effect.runPromise(Layer.launch(server))
} else throw new Error("layerServer.ts node | serve | router | api")
