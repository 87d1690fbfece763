import { assert, it } from "@effect/vitest"
import { makeWireServer } from "@tapeline/wire"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { makeSource, SourceHealth } from "../../src/source/index.ts"

it.live("a source that is blocked says so, whatever becomes of what was asked before", () =>
  Effect.gen(function*() {
    const [asked, refused] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const server = yield* makeWireServer(({ query }) =>
      Effect.gen(function*() {
        if (query.get("n") !== "0") return { status: 451, body: "not here" }
        yield* Deferred.succeed(asked, undefined)
        yield* Deferred.await(refused)
        return { status: 502, body: "" }
      })
    )
    const source = yield* makeSource({ name: "mill", baseUrl: server.url, limits: [], patience: { tries: 1 } })
    const ask = (n: number) => source.json({ what: "prices", path: "/price", query: { n }, schema: Schema.Unknown })
    const first = yield* Effect.forkChild(Effect.exit(ask(0)))
    yield* Deferred.await(asked)
    yield* Effect.flip(ask(1))
    yield* Deferred.succeed(refused, undefined)
    yield* Fiber.join(first)
    const later = yield* Effect.flip(ask(2))
    const reason = "it does not serve this place (status 451)"
    assert.deepStrictEqual([later.failure, later.reason], ["blocked", reason])
    const [told] = yield* (yield* SourceHealth).states
    assert.deepStrictEqual([told?.state, told?.lastFault?.failure, told?.lastFault?.reason], [
      "blocked",
      "blocked",
      reason
    ])
  }).pipe(Effect.scoped, Effect.provide(SourceHealth.layer)))
