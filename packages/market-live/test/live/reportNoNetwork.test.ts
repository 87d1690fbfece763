import { assert, it } from "@effect/vitest"
import { type SourceFailure } from "@tapeline/core/engine"
import { CoinPrices, SourceUnavailable } from "@tapeline/core/market"
import { Context, Effect, Layer } from "effect"
import { reportNoNetwork } from "../../src/live/reportNoNetwork.ts"
import { SourceHealth } from "../../src/source/SourceHealth.ts"
import { SourceStateRecorder } from "../../src/source/SourceStateRecorder.ts"
import { portsOfFewCoins } from "../support/fewCoins.ts"

const connectionFailure = {
  failure: "unreachable",
  reason: "the connection failed (ECONNREFUSED)",
  canRetry: true
} as const

const reported = (unreachable: ReadonlyArray<string>, source: string, failure: SourceFailure) =>
  Effect.gen(function*() {
    const health = yield* SourceHealth
    for (const name of ["binance/spot", "binance/futures", "deribit", "news/paper"]) {
      const recorder = new SourceStateRecorder()
      if (unreachable.includes(name)) recorder.recordFailure(connectionFailure, 0)
      else recorder.recordSuccess(0)
      yield* health.register((now) => recorder.state(now, { source: name, breaker: "closed", next: null, waiting: 0 }))
    }
    const error = new SourceUnavailable({ source, failure, reason: "it failed", retryable: true })
    const failing = { ...Context.get(portsOfFewCoins, CoinPrices), coins: Effect.fail(error), coin: () => error }
    const ports = Layer.succeedContext(Context.add(portsOfFewCoins, CoinPrices, failing))
    const prices = yield* Effect.provide(CoinPrices, reportNoNetwork(ports))
    const errors = [yield* Effect.flip(prices.coins), yield* Effect.flip(prices.coin("BTC"))]
    const [one, other] = errors.map((
      { toolFailure }
    ) => [toolFailure.failure, toolFailure.retryable, toolFailure.callerMessage])
    assert.deepStrictEqual(one, other)
    return one
  }).pipe(Effect.provide(SourceHealth.layer), Effect.scoped)

const all = ["binance/spot", "binance/futures", "deribit", "news/paper"]

it.effect("names the missing network in a tool's error if no source can be reached", () =>
  Effect.gen(function*() {
    for (const source of ["binance", "deribit", "news of paper"]) {
      assert.deepStrictEqual(yield* reported(all, source, "unreachable"), [
        "no_network",
        true,
        { key: "source_without_network" }
      ])
    }
  }))

it.effect("names the venue in a tool's error if only this venue is down", () =>
  Effect.gen(function*() {
    const error = yield* reported(["binance/spot", "binance/futures"], "binance", "unreachable")
    assert.deepStrictEqual(error, [
      "unreachable",
      true,
      { key: "source_unavailable", params: { source: "binance" } }
    ])
  }))

it.effect("does not report other failures, or those of a database, as a missing network", () =>
  Effect.gen(function*() {
    assert.deepStrictEqual((yield* reported(all, "binance", "malformed"))?.[0], "malformed")
    assert.deepStrictEqual((yield* reported(all, "market", "unreachable"))?.[0], "unreachable")
  }))
