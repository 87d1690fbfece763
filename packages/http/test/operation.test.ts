import { assert, it } from "@effect/vitest"
import { AnyRequest, InvalidAdminToken, KnownQuery, refusedWith, UnknownAddress } from "@tapeline/api"
import { InvalidArguments, KeyLimit, StoreUnavailable, UnknownKey } from "@tapeline/core"
import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { operation } from "../src/operation.ts"

const api = HttpApi.make("trial").add(
  HttpApiGroup.make("things")
    .add(HttpApiEndpoint.get("thing", "/thing", { success: Schema.String, error: refusedWith("not_found") }))
    .middleware(KnownQuery)
    .middleware(AnyRequest)
)

const missing = new UnknownKey({ key: 1 })
const answered = Effect.succeed(HttpServerResponse.empty())

/** A handler of the group's one operation, which may fail with `E`. */
const failing = <E>(error: E): Effect.Effect<HttpServerResponse.HttpServerResponse, E> =>
  error === undefined ? answered : Effect.fail(error)

it("a handler fails with what its operation declares, or with what surrounds it does", () => {
  const compileOnly = [
    HttpApiBuilder.group(api, "things", (handlers) => handlers.handleRaw("thing", operation(() => failing(missing)))),
    // Another refusal of the same code.
    HttpApiBuilder.group(
      api,
      "things",
      (handlers) => handlers.handleRaw("thing", operation(() => failing(new UnknownAddress())))
    ),
    // What the query's middleware declares, and what any request does.
    HttpApiBuilder.group(
      api,
      "things",
      (handlers) =>
        handlers.handleRaw(
          "thing",
          operation(() =>
            failing<UnknownKey | InvalidArguments | StoreUnavailable>(new InvalidArguments({ issues: [] }))
          )
        )
    )
  ]
  assert.lengthOf(compileOnly, 3)
})

it("one that it does not declare does not compile, and neither does one that is declared and never raised", () => {
  const compileOnly = [
    HttpApiBuilder.group(api, "things", (handlers) =>
      handlers.handleRaw(
        "thing",
        // @ts-expect-error -- `key_limit` is not declared
        operation(() => failing<UnknownKey | KeyLimit>(missing))
      )),
    HttpApiBuilder.group(api, "things", (handlers) =>
      handlers.handleRaw(
        "thing",
        // @ts-expect-error -- nothing around this operation declares `invalid_key`
        operation(() => failing<UnknownKey | InvalidAdminToken>(missing))
      )),
    HttpApiBuilder.group(api, "things", (handlers) =>
      handlers.handleRaw(
        "thing",
        // @ts-expect-error -- no refusal at all, but an error that nothing answers
        operation(() => failing<UnknownKey | Error>(missing))
      )),
    HttpApiBuilder.group(api, "things", (handlers) =>
      handlers.handleRaw(
        "thing",
        // @ts-expect-error -- `not_found` is declared, and never raised
        operation(() => answered)
      )),
    HttpApiBuilder.group(api, "things", (handlers) =>
      handlers.handleRaw(
        "thing",
        // @ts-expect-error -- a handler that is no `operation` cannot refuse at all
        () => failing(missing)
      ))
  ]
  assert.lengthOf(compileOnly, 5)
})
