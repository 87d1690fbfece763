import { assert, it, layer } from "@effect/vitest"
import { KeyAuthorization, layerRequestHeaders, makeCallerApi } from "@tapeline/api"
import { specifications } from "@tapeline/core"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect, Layer, Schema } from "effect"
import { FetchHttpClient, HttpClientRequest, HttpServer } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { expectTypeOf } from "vitest"
import { layerTestServer } from "./testServer.ts"
import { koreaTool, priceTool } from "./testTools.ts"

it("a typed client compiles only with arguments that the tool accepts", () => {
  const compileOnly = Effect.gen(function*() {
    const client = yield* HttpApiClient.make(makeCallerApi(specifications), { baseUrl: "http://127.0.0.1:1" })
    const headers = {}
    yield* client.get_price({ headers, payload: { coin: "BTC" } })
    // @ts-expect-error -- the arguments are not an object
    yield* client.get_price({ headers, payload: 42 })
    // @ts-expect-error -- `coin` is a string
    yield* client.get_price({ headers, payload: { coin: 42 } })
    // @ts-expect-error -- `coin` is required
    yield* client.get_price({ headers, payload: {} })
    yield* client.get_indicators({ headers, payload: { coin: "BTC" } })
    yield* client.get_indicators({ headers, payload: { coin: "BTC", tf: null } })
    // @ts-expect-error -- there is no such timeframe
    yield* client.get_indicators({ headers, payload: { coin: "BTC", tf: "7m" } })
    yield* client.get_price({
      headers: { "idempotency-key": "one", "x-lang": "ko", "x-request-id": "r-1" },
      payload: { coin: "BTC" }
    })
    // @ts-expect-error -- French is not a language of the service
    yield* client.get_price({ headers: { "x-lang": "fr" }, payload: { coin: "BTC" } })
    // @ts-expect-error -- there is no such header
    yield* client.get_price({ headers: { "idempotence-key": "one" }, payload: { coin: "BTC" } })
  })
  assert.isTrue(Effect.isEffect(compileOnly))
})

const clientOf = HttpApiClient.make(makeCallerApi([priceTool.specification]), { baseUrl: "http://127.0.0.1:1" })
type Client = Effect.Success<typeof clientOf>
type PriceError = Extract<Effect.Error<ReturnType<Client["test_price"]>>, { readonly code: string }>
type RefusedAs<Code extends PriceError["code"]> = Extract<PriceError, { readonly code: Code }>

it("a problem's code narrows its fields and status", () => {
  expectTypeOf<RefusedAs<"over_limit">>().toEqualTypeOf<{
    readonly type: "urn:tapeline:problem:over_limit"
    readonly title: string
    readonly status: 402
    readonly detail: string
    readonly code: "over_limit"
    readonly request_id: string
    readonly price: number
    readonly credits_left: number
    readonly ways_forward: ReadonlyArray<
      | {
        readonly action: "upgrade"
        readonly plans: ReadonlyArray<{ readonly plan: string; readonly monthly_credits: number }>
      }
      | { readonly action: "wait"; readonly renews_at: string }
    >
  }>()
  expectTypeOf<RefusedAs<"invalid_arguments">["issues"][number]>().toEqualTypeOf<
    { readonly path: ReadonlyArray<string | number>; readonly message: string }
  >()
  expectTypeOf<RefusedAs<"invalid_arguments">["status"]>().toEqualTypeOf<400>()
  expectTypeOf<RefusedAs<"scope_required">["required_scope"]>().toEqualTypeOf<string>()
  expectTypeOf<RefusedAs<"payload_too_large">["limit_bytes"]>().toEqualTypeOf<number>()
  expectTypeOf<RefusedAs<"rate_limited" | "request_in_progress" | "unavailable">["retry_after_seconds"]>()
    .toEqualTypeOf<number>()
  const compileOnly = (error: PriceError) => {
    switch (error.code) {
      case "unknown_tool":
        // @ts-expect-error -- only a call beyond the month's credits has a price
        return error.price
      case "over_limit":
        // @ts-expect-error -- the status of `over_limit` is 402
        return error.status === 404
      // @ts-expect-error -- no tool call is rejected with `key_limit`
      case "key_limit":
        return 0
      default:
        return error.detail
    }
  }
  assert.isFunction(compileOnly)
})

const makeClient = Effect.fnUntraced(function*(key: string, language?: "ko" | "ru") {
  const authorization = HttpApiMiddleware.layerClient(
    KeyAuthorization,
    ({ next, request }) => next(HttpClientRequest.bearerToken(request, key))
  )
  const { address } = yield* HttpServer.HttpServer
  return yield* HttpApiClient.make(makeCallerApi([priceTool.specification, koreaTool.specification]), {
    baseUrl: HttpServer.formatAddress(address)
  }).pipe(
    Effect.provide(
      Layer.mergeAll(
        authorization,
        FetchHttpClient.layer,
        language === undefined ? Layer.empty : layerRequestHeaders({ "x-lang": language })
      )
    )
  )
})

const coin = { payload: { coin: "BTC" } }

layer(layerTestServer(), { excludeTestServices: true })("a typed client over HTTP", (it) => {
  it.effect("repeats a call under its idempotency key, and is charged once", () =>
    Effect.gen(function*() {
      const client = yield* makeClient((yield* createKeyedAccount()).key)
      const headers = { "idempotency-key": "once" }
      const first = yield* client.test_price({ headers, ...coin })
      const [secondPrice, response] = yield* client.test_price({
        headers,
        ...coin,
        responseMode: "decoded-and-response"
      })
      assert.deepStrictEqual(secondPrice, first)
      assert.strictEqual(response.headers["idempotent-replayed"], "true")
      const other = yield* client.test_price({ headers: { "idempotency-key": "another" }, ...coin })
      assert.strictEqual(other.credits_left, first.credits_left - 1)
      const keyReusedError = yield* Effect.flip(client.test_price({ headers, payload: { coin: "ETH" } }))
      assert.propertyVal(keyReusedError, "code", "idempotency_key_reused")
    }))

  it.effect("does not send an idempotency key that the service would reject", () =>
    Effect.gen(function*() {
      const client = yield* makeClient((yield* createKeyedAccount()).key)
      for (const key of ["", "한글", "k".repeat(129)]) {
        const callError = yield* Effect.flip(client.test_price({ headers: { "idempotency-key": key }, ...coin }))
        assert.isTrue(Schema.isSchemaError(callError), key)
      }
    }))

  it.effect("sets the language for one call or all calls, and the request id", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const korean = yield* makeClient(key, "ko")
      const headers = { "x-request-id": "trace-7.a_b" }
      const [failed, response] = yield* korean.test_price({
        headers,
        payload: { coin: "NONE" },
        responseMode: "decoded-and-response"
      })
      assert.match(JSON.stringify(failed.data), /[가-힣]/)
      assert.strictEqual(response.headers["content-language"], "ko")
      assert.strictEqual(response.headers["x-request-id"], "trace-7.a_b")
      const quoted = yield* Effect.flip(korean.quote({ payload: { calls: [{ name: "nothing", count: 1 }] } }))
      if (!("detail" in quoted)) return assert.fail(JSON.stringify(quoted))
      assert.match(quoted.detail, /[가-힣]/)
      const clientWithoutScope = yield* makeClient((yield* createKeyedAccount({ scopes: ["read:personal"] })).key, "ko")
      const scopeError = yield* Effect.flip(
        clientWithoutScope.test_price({ headers: { "x-lang": "ru", "x-request-id": "trace-8" }, ...coin })
      )
      if (!("code" in scopeError) || scopeError.code !== "scope_required") {
        return assert.fail(JSON.stringify(scopeError))
      }
      assert.strictEqual(scopeError.request_id, "trace-8")
      assert.match(scopeError.detail, /[а-я]/)
    }))

  it.effect("receives retry_after_seconds if it is rate limited", () =>
    Effect.gen(function*() {
      const client = yield* makeClient((yield* createKeyedAccount({ plan: "narrow" })).key)
      for (let i = 0; i < 3; i++) yield* client.test_price({ headers: {}, ...coin })
      const callError = yield* Effect.flip(client.test_price({ headers: {}, ...coin }))
      if (!("code" in callError) || callError.code !== "rate_limited") return assert.fail(JSON.stringify(callError))
      assert.isAtLeast(callError.retry_after_seconds, 1)
    }))
})
