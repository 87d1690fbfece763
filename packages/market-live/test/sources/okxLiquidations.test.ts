import { assert, it } from "@effect/vitest"
import { CoinDerivatives } from "@tapeline/core/market"
import { makeFakeServer, makeOkxLiquidations } from "@tapeline/wire"
import { Context, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { type ContractLiquidation, layerOkxLiquidations, OkxLiquidations, SourceHealth } from "../../src/index.ts"
import { sharedPorts } from "../support/sharedWorld.ts"
import { socketSuite } from "../support/socketSuite.ts"

const start = Date.parse("2026-11-20T12:00:00Z")
const derivatives = Context.get(sharedPorts, CoinDerivatives)
const coinsPerContractOf = (symbol: string) =>
  symbol === "BTC-USDT-SWAP" ? 0.01 : symbol === "MINA-USDT-SWAP" ? 1 : undefined

it.effect("returns the newest liquidation of each second in dollars, for contracts of known size", () =>
  Effect.scoped(Effect.gen(function*() {
    yield* TestClock.setTime(start)
    const server = yield* makeFakeServer(() => Effect.succeed(null), makeOkxLiquidations(derivatives))
    const layer = layerOkxLiquidations({ baseUrl: server.url.replace("http", "ws"), coinsPerContractOf })
    const stream = Context.get(yield* Layer.build(Layer.provide(layer, SourceHealth.layer)), OkxLiquidations)
    const wire = yield* server.waitForSocket
    assert.deepStrictEqual(yield* stream.take, [{ _tag: "up", at: start }])
    const liquidations: Array<ContractLiquidation> = []
    const right: Array<ContractLiquidation> = []
    for (let now = start + 1_000; right.length < 2; now += 1_000) {
      assert.isBelow(now, start + 3_600_000)
      const { value } = yield* Effect.orDie(derivatives.liquidations({ coin: "BTC", from: now - 1_000, to: now }))
      const newest = value.events.at(-1)
      if (newest !== undefined) right.push({ ...newest, symbol: "BTC-USDT-SWAP" })
      yield* TestClock.adjust(1_000)
      while (liquidations.length < right.length) {
        liquidations.push(...(yield* stream.take).flatMap((one) => one._tag === "heard" ? [one.value] : []))
      }
    }
    const rounded = (all: ReadonlyArray<ContractLiquidation>) =>
      all.map((one) => ({ ...one, sizeUsd: Math.round(one.sizeUsd) }))
    assert.deepStrictEqual(rounded(liquidations), rounded(right))

    wire.send(JSON.stringify({ event: "error", code: "60018", msg: "Wrong URL or channel", connId: "a4d3ae55" }))
    while (!(yield* stream.take).some(({ _tag }) => _tag === "gap")) { /* waits for the gap */ }
  })).pipe(Effect.provide(Logger.layer([]))))

const detail = { bkLoss: "0", bkPx: "0.09859", ccy: "", posSide: "short", side: "buy", sz: "10975", ts: String(start) }
const instrument = { instFamily: "MINA-USDT", instId: "MINA-USDT-SWAP", instType: "SWAP", uly: "MINA-USDT" }
const arg = { channel: "liquidation-orders", instType: "SWAP" }

socketSuite<ContractLiquidation, OkxLiquidations>({
  source: "okx",
  layer: (baseUrl) => layerOkxLiquidations({ baseUrl, coinsPerContractOf }),
  socket: Effect.map(OkxLiquidations, (stream) => stream),
  path: "/ws/v5/public",
  confirmation: JSON.stringify({ event: "subscribe", arg, connId: "a4d3ae55" }),
  message: { arg, data: [{ details: [detail], ...instrument }] },
  value: { symbol: "MINA-USDT-SWAP", time: start, side: "short", price: 0.09859, sizeUsd: 1_082.03 }
})
