import { assert, it } from "@effect/vitest"
import { KeyAuthorization, makeCallerApi } from "@tapeline/api"
import { specifications } from "@tapeline/core"
import { enrol } from "@tapeline/testing"
import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpClientRequest, HttpServer } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { layerTestServer } from "./server.ts"

const api = makeCallerApi(specifications)

it("a typed client takes what the tool takes: anything else does not compile", () => {
  const compileOnly = Effect.gen(function*() {
    const client = yield* HttpApiClient.make(api, { baseUrl: "http://127.0.0.1:1" })
    yield* client.get_price({ payload: { coin: "BTC" } })
    // @ts-expect-error -- no object of arguments
    yield* client.get_price({ payload: 42 })
    // @ts-expect-error -- a coin is a text
    yield* client.get_price({ payload: { coin: 42 } })
    // @ts-expect-error -- a coin must be given
    yield* client.get_price({ payload: {} })
    // Defaults may be left out, or be null.
    yield* client.get_indicators({ payload: { coin: "BTC" } })
    yield* client.get_indicators({ payload: { coin: "BTC", tf: null } })
    // @ts-expect-error -- there is no such timeframe
    yield* client.get_indicators({ payload: { coin: "BTC", tf: "7m" } })
  })
  assert.isTrue(Effect.isEffect(compileOnly))
})

it.live("and is answered", () =>
  Effect.gen(function*() {
    const { key } = yield* enrol()
    const authorization = HttpApiMiddleware.layerClient(
      KeyAuthorization,
      ({ next, request }) => next(HttpClientRequest.bearerToken(request, key))
    )
    const { address } = yield* HttpServer.HttpServer
    const client = yield* HttpApiClient.make(api, { baseUrl: HttpServer.formatAddress(address) }).pipe(
      Effect.provide(Layer.merge(authorization, FetchHttpClient.layer))
    )
    const refused = yield* Effect.flip(client.get_price({ payload: { coin: "BTC" } }))
    assert.propertyVal(refused, "code", "unknown_tool")
  }).pipe(Effect.provide(layerTestServer()), Effect.scoped))
