import { assert, it } from "@effect/vitest"
import {
  CommonErrors,
  InvalidAdminToken,
  KeyAuthorization,
  problemSchemas,
  RejectUnknownQuery,
  servedToolsApi,
  servedToolsGroup,
  UnknownAddress
} from "@tapeline/api"
import { InvalidArguments, KeyLimit, StoreUnavailable, UnknownKey } from "@tapeline/core"
import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { layerCallerRoute } from "../src/callerRoute.ts"
import { routesOf } from "../src/requestMiddleware.ts"
import { makeOperation } from "../src/responses.ts"

const api = HttpApi.make("trial").add(
  HttpApiGroup.make("things")
    .add(HttpApiEndpoint.get("thing", "/thing", { success: Schema.String, error: problemSchemas("not_found") }))
    .middleware(RejectUnknownQuery)
    .middleware(CommonErrors)
)

const missing = new UnknownKey({ key: 1 })
const emptyResponse = Effect.succeed(HttpServerResponse.empty())

const failing = <E>(error: E): Effect.Effect<HttpServerResponse.HttpServerResponse, E> =>
  error === undefined ? emptyResponse : Effect.fail(error)

it("a handler may fail with errors of its operation, of its middlewares, or of any request", () => {
  const compileOnly = [
    HttpApiBuilder.group(
      api,
      "things",
      (handlers) => handlers.handleRaw("thing", makeOperation(() => failing(missing)))
    ),
    HttpApiBuilder.group(
      api,
      "things",
      (handlers) => handlers.handleRaw("thing", makeOperation(() => failing(new UnknownAddress())))
    ),
    HttpApiBuilder.group(
      api,
      "things",
      (handlers) =>
        handlers.handleRaw(
          "thing",
          makeOperation(() =>
            failing<UnknownKey | InvalidArguments | StoreUnavailable>(new InvalidArguments({ count: 0, issues: [] }))
          )
        )
    )
  ]
  assert.lengthOf(compileOnly, 3)
})

it("a handler with an undeclared error, or without a declared one, does not compile", () => {
  const compileOnly = [
    HttpApiBuilder.group(api, "things", (handlers) =>
      handlers.handleRaw(
        "thing",
        // @ts-expect-error -- `key_limit` is not declared
        makeOperation(() => failing<UnknownKey | KeyLimit>(missing))
      )),
    HttpApiBuilder.group(api, "things", (handlers) =>
      handlers.handleRaw(
        "thing",
        // @ts-expect-error -- nothing around this operation declares `invalid_key`
        makeOperation(() => failing<UnknownKey | InvalidAdminToken>(missing))
      )),
    HttpApiBuilder.group(api, "things", (handlers) =>
      handlers.handleRaw(
        "thing",
        // @ts-expect-error -- not a rejected request, but an error without a response
        makeOperation(() => failing<UnknownKey | Error>(missing))
      )),
    HttpApiBuilder.group(api, "things", (handlers) =>
      handlers.handleRaw(
        "thing",
        // @ts-expect-error -- `not_found` is declared, but never raised
        makeOperation(() => emptyResponse)
      )),
    HttpApiBuilder.group(api, "things", (handlers) =>
      handlers.handleRaw(
        "thing",
        // @ts-expect-error -- a handler without `operation` cannot reject a request
        () => failing(missing)
      ))
  ]
  assert.lengthOf(compileOnly, 5)
})

const callers = HttpApiGroup.make("callers")
  .add(
    HttpApiEndpoint.get("asks", "/asks", { query: { area: Schema.String }, success: Schema.String }),
    HttpApiEndpoint.get("plain", "/plain", { success: Schema.String, error: problemSchemas("not_found") })
  )
  .middleware(RejectUnknownQuery)
  .middleware(KeyAuthorization)
  .middleware(CommonErrors)

it("a direct route takes only endpoints with a key and no query, and their declared errors", () => {
  const { asks, plain: plainEndpoint } = callers.endpoints
  const compileOnly = [
    layerCallerRoute(plainEndpoint, makeOperation(() => failing(missing))),
    // @ts-expect-error -- `key_limit` is not declared
    layerCallerRoute(plainEndpoint, makeOperation(() => failing<UnknownKey | KeyLimit>(missing))),
    // @ts-expect-error -- `not_found` is declared, but never raised
    layerCallerRoute(plainEndpoint, makeOperation(() => emptyResponse)),
    // @ts-expect-error -- the query of this endpoint would not be read
    layerCallerRoute(asks, () => emptyResponse),
    // @ts-expect-error -- this endpoint requires no key
    layerCallerRoute(api.groups.things.endpoints.thing, makeOperation(() => failing(missing)))
  ]
  assert.lengthOf(compileOnly, 5)
  const { method, path } = servedToolsGroup.endpoints.callTool
  assert.deepStrictEqual(routesOf(servedToolsApi), [{ method, path }])
})
