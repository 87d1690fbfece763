import { assert, it } from "@effect/vitest"
import { CoinDerivatives } from "@tapeline/core/market"
import { type FakeServer, makeBinanceLiquidations, makeFakeServer } from "@tapeline/wire"
import { Context, Effect, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import {
  BinanceLiquidations,
  type ContractLiquidation,
  layerBinanceLiquidations,
  type SocketEvent,
  SourceHealth
} from "../../src/index.ts"
import { sharedPorts } from "../support/sharedWorld.ts"
import { socketSuite } from "../support/socketSuite.ts"

const start = Date.parse("2026-11-20T12:00:00Z")
const derivatives = Context.get(sharedPorts, CoinDerivatives)

const overWire = (
  use: (stream: BinanceLiquidations["Service"], server: FakeServer) => Effect.Effect<void, never, Scope.Scope>
) =>
  Effect.scoped(Effect.gen(function*() {
    yield* TestClock.setTime(start)
    const server = yield* makeFakeServer(() => Effect.succeed(null), makeBinanceLiquidations(derivatives))
    const layer = Layer.provide(
      layerBinanceLiquidations({ baseUrl: server.url.replace("http", "ws") }),
      SourceHealth.layer
    )
    yield* use(Context.get(yield* Layer.build(layer), BinanceLiquidations), server)
  }))

const valuesOf = (events: ReadonlyArray<SocketEvent<ContractLiquidation>>) =>
  events.flatMap((event) => event._tag === "heard" ? [event.value] : [])

it.effect("returns the newest liquidation of each contract and second", () =>
  overWire((stream, server) =>
    Effect.gen(function*() {
      yield* server.waitForSocket
      yield* stream.take
      let liquidations: ReadonlyArray<ContractLiquidation> = []
      for (let second = 1; second <= 3_600 && liquidations.length === 0; second++) {
        yield* TestClock.adjust(1_000)
        const [from, to] = [start + (second - 1) * 1_000, start + second * 1_000]
        const { value: tape } = yield* Effect.orDie(derivatives.liquidations({ coin: "BTC", from, to }))
        const newest = tape.events.at(-1)
        if (newest === undefined) continue
        while (!liquidations.some(({ symbol }) => symbol === "BTCUSDT")) {
          liquidations = [...liquidations, ...valuesOf(yield* stream.take)]
        }
        const btcLiquidation = liquidations.find(({ symbol }) => symbol === "BTCUSDT")!
        assert.deepStrictEqual({ ...btcLiquidation, sizeUsd: 0 }, { ...newest, symbol: "BTCUSDT", sizeUsd: 0 })
        assert.closeTo(btcLiquidation.sizeUsd, newest.sizeUsd, 0.01)
      }
      assert.isAbove(liquidations.length, 0)
      assert.deepStrictEqual(server.requests.map(({ path }) => path), ["/market/ws/!forceOrder@arr"])
    })
  ))

const order = { s: "BTCUSDT", S: "SELL", o: "LIMIT", ap: "9910", z: "0.014", T: start, X: "FILLED" }
const expectedLiquidation: ContractLiquidation = {
  symbol: "BTCUSDT",
  time: start,
  side: "long",
  price: 9_910,
  sizeUsd: 138.74
}

socketSuite<ContractLiquidation, BinanceLiquidations>({
  source: "binance",
  layer: (baseUrl) => layerBinanceLiquidations({ baseUrl }),
  socket: Effect.map(BinanceLiquidations, (stream) => stream),
  path: "/market/ws/!forceOrder@arr",
  message: { e: "forceOrder", E: start, o: order },
  value: expectedLiquidation
})

it.effect("reads a liquidation in the envelope of a combined stream", () =>
  overWire((stream, server) =>
    Effect.gen(function*() {
      const wire = yield* server.waitForSocket
      yield* stream.take
      const data = { e: "forceOrder", E: start, o: order }
      wire.send(JSON.stringify({ stream: "!forceOrder@arr", data }))
      assert.deepStrictEqual(valuesOf(yield* stream.take), [expectedLiquidation])
    })
  ))

it.effect("treats a 403 as a limit of the firewall, and reconnects after five minutes", () =>
  Effect.scoped(Effect.gen(function*() {
    yield* TestClock.setTime(start)
    const server = yield* makeFakeServer(() => Effect.succeed(null), makeBinanceLiquidations(derivatives))
    server.fail({ _tag: "answer", status: 403, body: "" }, 1)
    const layer = Layer.provideMerge(
      layerBinanceLiquidations({ baseUrl: server.url.replace("http", "ws") }),
      SourceHealth.layer
    )
    const { states } = Context.get(yield* Layer.build(layer), SourceHealth)
    let [state] = yield* states
    while (state?.lastFault == null) {
      yield* TestClock.withLive(Effect.sleep(1))
      ;[state] = yield* states
    }
    assert.deepStrictEqual([state.state, state.lastFault.failure], ["limited", "rate_limited"])
    yield* TestClock.adjust("5 minutes")
    yield* server.waitForSocket
  })))

it.effect("returns the liquidated side, and skips orders without a fill", () =>
  overWire((stream, server) =>
    Effect.gen(function*() {
      const wire = yield* server.waitForSocket
      yield* stream.take
      const sendOrder = (o: object) => wire.send(JSON.stringify({ e: "forceOrder", E: start, o }))
      sendOrder({ ...order, ap: "0", z: "0" })
      sendOrder({ ...order, S: "BUY" })
      assert.deepStrictEqual(valuesOf(yield* stream.take), [{ ...expectedLiquidation, side: "short" }])
    })
  ))
