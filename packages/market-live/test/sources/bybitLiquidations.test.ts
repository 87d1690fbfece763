import { assert, it } from "@effect/vitest"
import { CoinDerivatives } from "@tapeline/core/market"
import { type FakeServer, makeBybitLiquidations, makeFakeServer } from "@tapeline/wire"
import { Context, Effect, Layer, Logger, type Scope } from "effect"
import { TestClock } from "effect/testing"
import {
  BybitLiquidations,
  type BybitLiquidationsOptions,
  type ContractLiquidation,
  layerBybitLiquidations,
  type SocketEvent,
  SourceHealth
} from "../../src/index.ts"
import { sharedPorts } from "../support/sharedWorld.ts"
import { socketSuite } from "../support/socketSuite.ts"

const start = Date.parse("2026-11-20T12:00:00Z")
const derivatives = Context.get(sharedPorts, CoinDerivatives)

interface StreamFixture {
  readonly stream: BybitLiquidations["Service"]
  readonly server: FakeServer
  readonly health: SourceHealth["Service"]
}

const overWire = (
  symbols: BybitLiquidationsOptions["symbols"],
  use: (listening: StreamFixture) => Effect.Effect<void, never, Scope.Scope>
) =>
  Effect.scoped(Effect.gen(function*() {
    yield* TestClock.setTime(start)
    const server = yield* makeFakeServer(() => Effect.succeed(null), makeBybitLiquidations(derivatives))
    const baseUrl = server.url.replace("http", "ws")
    const context = yield* Layer.build(
      Layer.provideMerge(layerBybitLiquidations({ baseUrl, symbols }), SourceHealth.layer)
    )
    yield* use({ server, stream: Context.get(context, BybitLiquidations), health: Context.get(context, SourceHealth) })
  })).pipe(Effect.provide(Logger.layer([])))

const pingMs = 5_000

const readSimulated = (from: number, to: number) =>
  Effect.orDie(Effect.forEach(["BTC", "ETH"], (coin) =>
    Effect.map(
      derivatives.liquidations({ coin, from, to }),
      ({ value }) => value.events.map((event): ContractLiquidation => ({ ...event, symbol: `${coin}USDT` }))
    ))).pipe(Effect.map((tapes) => tapes.flat()))

const valuesOf = (events: ReadonlyArray<SocketEvent<ContractLiquidation>>) =>
  events.flatMap((event) => event._tag === "heard" ? [event.value] : [])

it.effect("returns every liquidation of its contracts as the simulated market has them", () =>
  overWire(["BTCUSDT", "ETHUSDT"], ({ server, stream }) =>
    Effect.gen(function*() {
      yield* server.waitForSocket
      assert.deepStrictEqual(yield* stream.take, [{ _tag: "up", at: start }])
      const liquidations: Array<ContractLiquidation> = []
      const right: Array<ContractLiquidation> = []
      for (let now = start + pingMs; right.length < 3; now += pingMs) {
        assert.isBelow(now, start + 3_600_000)
        yield* TestClock.adjust(pingMs)
        right.push(...yield* readSimulated(now - pingMs, now))
        // Coverage is reported with a liquidation, or with the response to a ping. A ping is sent only at intervals of
        // `pingMs`.
        let covered = false
        while (!covered || liquidations.length < right.length) {
          const events = yield* stream.take
          liquidations.push(...valuesOf(events))
          covered ||= events.some((event) => event._tag === "alive" && event.at >= now - pingMs)
        }
      }
      const rounded = (tape: ReadonlyArray<ContractLiquidation>) =>
        tape.map((one) => ({ ...one, sizeUsd: Math.round(one.sizeUsd) }))
          .sort((a, b) => a.time - b.time || a.symbol.localeCompare(b.symbol) || a.sizeUsd - b.sizeUsd)
      assert.deepStrictEqual(rounded(liquidations), rounded(right))
      assert.deepStrictEqual(server.requests.map(({ path }) => path), ["/v5/public/linear"])
    })))

it.effect("does not come up if one of the contracts is rejected, and names it", () =>
  overWire(["BTCUSDT", "NOPEUSDT"], ({ health, server, stream }) =>
    Effect.gen(function*() {
      yield* server.waitForSocket
      const [event] = yield* stream.take
      assert.strictEqual(event?._tag, "gap")
      const [state] = yield* health.states
      assert.isNull(state!.lastSuccessAt)
      assert.include(state!.lastFault?.reason, "the request to subscribe was rejected (allLiquidation.NOPEUSDT)")
    })))

const roseMessage = { T: start, s: "ROSEUSDT", S: "Sell", v: "20000", p: "0.04499" }
const expectedLiquidation: ContractLiquidation = {
  symbol: "ROSEUSDT",
  time: start,
  side: "short",
  price: 0.04499,
  sizeUsd: 899.8
}
const acknowledged = { success: true, ret_msg: "", conn_id: "cejreaspqfh3sjdnldmg-p", req_id: "", op: "subscribe" }
const message = { topic: "allLiquidation.ROSEUSDT", type: "snapshot", ts: start, data: [roseMessage] }

socketSuite<ContractLiquidation, BybitLiquidations>({
  source: "bybit",
  layer: (baseUrl) => layerBybitLiquidations({ baseUrl, symbols: ["ROSEUSDT"] }),
  socket: Effect.map(BybitLiquidations, (stream) => stream),
  path: "/v5/public/linear",
  confirmation: JSON.stringify(acknowledged),
  message,
  value: expectedLiquidation
})

it.effect("returns the liquidated side, and reports an invalid liquidation as a gap", () =>
  overWire(["BTCUSDT"], ({ server, stream }) =>
    Effect.gen(function*() {
      const wire = yield* server.waitForSocket
      yield* stream.take
      const sendData = (data: ReadonlyArray<object>) => wire.send(JSON.stringify({ ...message, data }))
      sendData([roseMessage, { ...roseMessage, S: "Buy" }])
      assert.deepStrictEqual(valuesOf(yield* stream.take), [expectedLiquidation, {
        ...expectedLiquidation,
        side: "long"
      }])
      for (
        const invalidOrder of [{ ...roseMessage, v: "0" }, { ...roseMessage, p: "0" }, { ...roseMessage, s: "BTCUSDT" }]
      ) {
        sendData([invalidOrder])
        assert.deepStrictEqual((yield* stream.take).map(({ _tag }) => _tag), ["gap"])
      }
    })))
