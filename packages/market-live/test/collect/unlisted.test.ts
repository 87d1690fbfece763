import { assert, it } from "@effect/vitest"
import { SourceUnavailable } from "@tapeline/core/market"
import { MemoryMarketStore } from "@tapeline/testing"
import { Context, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import {
  layerCollectors,
  MarketHealth,
  SourceHealth,
  spotCollectors,
  type SpotVenue,
  trackedCoins
} from "../../src/index.ts"

const away = new SourceUnavailable({ source: "other", failure: "unreachable", reason: "as told", retryable: true })

/** A venue that lists some coins, as they trade, and of which nothing is recorded. */
const listing = (name: string, coins: Readonly<Record<string, boolean>>, there: () => boolean): SpotVenue => ({
  name,
  most: 1_000,
  symbolOf: (coin) => `${coin}USDT`,
  markets: Effect.suspend(() =>
    there()
      ? Effect.succeed({
        rows: Object.entries(coins).map(([coin, trades]) => ({ coin, trades, symbol: `${coin}USDT`, quote: "USDT" })),
        unread: []
      })
      : away
  ),
  began: () => Effect.succeed(0),
  candles: () => away,
  tickers: () => away
})

it.effect("what no venue lists is told once, when all have answered, and not what is halted or what one may still list", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(Date.parse("2026-11-20T12:31:17.000Z"))
    let isThere = false
    const venues = [
      listing("first", { BTC: true, OLD: false }, () => true),
      listing("other", { ETH: true }, () => isThere)
    ]
    const coins = ["BTC", "ETH", "OLD", "NOPE"].map((coin) => ({ ...trackedCoins[0]!, coin }))
    const [candles] = spotCollectors([venues[0]!, venues[1]!], coins, { candleDays: 1, priceDays: 1 })
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
    const layer = layerCollectors([candles!]).pipe(
      Layer.provideMerge(Layer.provide(MarketHealth.layer, SourceHealth.layer)),
      Layer.provide([MemoryMarketStore, Logger.layer([logger])])
    )
    const { report } = Context.get(yield* Layer.build(layer), MarketHealth)
    const unlisted = Effect.map(report, ({ collected: [one] }) => one!.collected[0]!.unlisted)
    yield* TestClock.adjust("10 minutes")
    assert.deepStrictEqual([yield* unlisted, lines], [[], []])
    isThere = true
    yield* TestClock.adjust("2 hours")
    assert.deepStrictEqual(yield* unlisted, ["NOPE"])
    assert.deepStrictEqual(lines, ["Warn no source lists NOPE: no candles are collected of it"])
  }).pipe(Effect.scoped))
