import { assert, it } from "@effect/vitest"
import { makeFakeServer } from "@tapeline/wire"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { binanceFirewall } from "../../src/binance/rejections.ts"
import { firstAvailable, makeSource, SourceHealth } from "../../src/source/index.ts"

it.live("stays blocked when an earlier request fails with another error afterwards", () =>
  Effect.gen(function*() {
    const [hasAsked, isRejected] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const server = yield* makeFakeServer(({ query }) =>
      Effect.gen(function*() {
        if (query.get("n") !== "0") return { status: 451, body: "not here" }
        yield* Deferred.succeed(hasAsked, undefined)
        yield* Deferred.await(isRejected)
        return { status: 502, body: "" }
      })
    )
    const source = yield* makeSource({ name: "mill", baseUrl: server.url, limits: [], retryPolicy: { maxTries: 1 } })
    const ask = (n: number) => source.json({ label: "prices", path: "/price", query: { n }, schema: Schema.Unknown })
    const first = yield* Effect.forkChild(Effect.exit(ask(0)))
    yield* Deferred.await(hasAsked)
    yield* Effect.flip(ask(1))
    yield* Deferred.succeed(isRejected, undefined)
    yield* Fiber.join(first)
    const later = yield* Effect.flip(ask(2))
    const reason = "not available in this region (status 451)"
    assert.deepStrictEqual([later.failure, later.reason], ["blocked", reason])
    const [state] = yield* (yield* SourceHealth).states
    assert.deepStrictEqual([state?.state, state?.lastFault?.failure, state?.lastFault?.reason], [
      "blocked",
      "blocked",
      reason
    ])
  }).pipe(Effect.scoped, Effect.provide(SourceHealth.layer)))

const refusals = {
  "a bare 403": { status: 403, body: "" },
  "a page with 403": { status: 403, body: "<!DOCTYPE HTML><H1>403 ERROR</H1>Request blocked." },
  "a 403 with a long retry-after": { status: 403, body: "", headers: { "retry-after": "3600" } },
  "an empty 202": { status: 202, body: "" }
}

it.effect.each(Object.entries(refusals))(
  "treats %s that lasts as a block, and requests the next source",
  ([name, reason]) =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.parse("2026-11-20T12:00:00Z"))
      let isRefusing = true
      const [first, second] = yield* Effect.all([
        makeFakeServer(() => Effect.succeed(isRefusing ? reason : { body: 1 })),
        makeFakeServer(() => Effect.succeed({ body: 2 }))
      ])
      const request = { label: "prices", path: "/price", schema: Schema.Number }
      const mill = yield* makeSource({
        name: "mill",
        baseUrl: first.url,
        limits: [],
        rateLimit403: binanceFirewall,
        next: "bakery"
      })
      const bakery = yield* makeSource({ name: "bakery", baseUrl: second.url, limits: [] })
      const ask = Effect.map(firstAvailable([mill.json(request), bakery.json(request)]), ({ value }) => value)
      // During a temporary rate limit, the next source is not requested, so that the series keeps its source.
      if (!name.includes("retry-after")) {
        assert.strictEqual((yield* Effect.flip(ask)).failure, "rate_limited")
        isRefusing = false
        yield* TestClock.adjust("5 minutes")
        assert.strictEqual(yield* ask, 1)
      }
      isRefusing = true
      yield* TestClock.adjust("1 hour")
      const before = first.requests.length
      const failures: Array<unknown> = []
      for (let minute = 0; minute < 15; minute++) {
        failures.push(yield* Effect.catch(ask, ({ failure }) => Effect.succeed(failure)))
        yield* TestClock.adjust("1 minute")
      }
      assert.strictEqual(failures[0], "rate_limited")
      assert.strictEqual(failures.at(-1), 2)
      assert.isAtMost(first.requests.length - before, 3)
      const { states } = yield* SourceHealth
      const state = (yield* states).find(({ source }) => source === "mill")
      assert.deepStrictEqual([state?.state, state?.next], ["blocked", "bakery"])
      assert.match(state?.lastFault?.reason ?? "", /firewall .*persistently.*; bakery has the same data$/u)
      yield* TestClock.adjust("1 hour")
      yield* Effect.ignore(ask)
      assert.strictEqual(yield* ask, 2)
      isRefusing = false
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* ask, 1)
    }).pipe(Effect.scoped, Effect.provide(SourceHealth.layer))
)
