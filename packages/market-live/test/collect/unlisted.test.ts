import { assert, it } from "@effect/vitest"
import { SourceUnavailable } from "@tapeline/core/market"
import { MemoryMarketStore } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
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

const unavailableError = new SourceUnavailable({
  source: "other",
  failure: "unreachable",
  reason: "as told",
  retryable: true
})
const blocked = new SourceUnavailable({ source: "other", failure: "blocked", reason: "as told", retryable: false })

const listing = (
  name: string,
  coins: Readonly<Record<string, boolean>>,
  isAvailable: () => boolean,
  fault = unavailableError
): SpotVenue => ({
  name,
  maxCandles: 1_000,
  symbolOf: (coin) => `${coin}USDT`,
  markets: Effect.suspend(() =>
    isAvailable()
      ? Effect.succeed({
        rows: Object.entries(coins).map(([coin, trades]) => ({
          coin,
          isTrading: trades,
          symbol: `${coin}USDT`,
          quote: "USDT"
        })),
        unreadable: []
      })
      : fault
  ),
  fetchOpeningTime: () => Effect.succeed(0),
  candles: () => unavailableError,
  tickers: () => unavailableError
})

const collectingOf = Effect.fnUntraced(function*(
  venues: readonly [SpotVenue, ...ReadonlyArray<SpotVenue>],
  names: ReadonlyArray<string>
) {
  yield* TestClock.setTime(Date.parse("2026-11-20T12:31:17.000Z"))
  const coins = names.map((coin) => ({ ...trackedCoins[0]!, coin }))
  const [candles] = spotCollectors(venues, coins, { candleDays: 1, priceDays: 1 })
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
  const layer = layerCollectors([candles!]).pipe(
    Layer.provideMerge(Layer.provide(MarketHealth.layer, SourceHealth.layer)),
    Layer.provide([MemoryMarketStore, Logger.layer([logger])])
  )
  const { report } = Context.get(yield* Layer.build(layer), MarketHealth)
  return { lines, unlisted: Effect.map(report, ({ collectorsBySource: [one] }) => one!.collectors[0]!.unlisted) }
})

it.effect("logs once each coin that no venue lists, after all have answered, and no halted coin", () =>
  Effect.gen(function*() {
    let isAvailable = false
    const { lines, unlisted } = yield* collectingOf(
      [
        listing("first", { BTC: true, OLD: false }, () => true),
        listing("other", { ETH: true }, () => isAvailable)
      ],
      ["BTC", "ETH", "OLD", "NOPE"]
    )
    yield* TestClock.adjust("10 minutes")
    assert.deepStrictEqual([yield* unlisted, lines], [[], []])
    isAvailable = true
    yield* TestClock.adjust("2 hours")
    assert.deepStrictEqual(yield* unlisted, ["NOPE"])
    assert.deepStrictEqual(lines, ["Warn no source lists NOPE, so no candles are collected for it"])
  }).pipe(Effect.scoped))

it.effect("suggests the coin if the setting names a pair", () =>
  Effect.gen(function*() {
    const { lines } = yield* collectingOf([listing("first", { BTC: true }, () => true)], ["BTC", "ETHUSDT", "USDT"])
    yield* TestClock.adjust("10 minutes")
    assert.deepStrictEqual(lines, [
      "Warn no source lists ETHUSDT (use only the name of the coin: ETH), USDT, so no candles are collected for it"
    ])
  }).pipe(Effect.scoped))

it.effect.runIf(isFullRun)(
  "does not wait for a blocked venue if another one returns its list",
  () =>
    Effect.gen(function*() {
      let isAvailable = false
      const { lines, unlisted } = yield* collectingOf(
        [
          listing("first", { BTC: true }, () => false, blocked),
          listing("other", { BTC: true }, () => isAvailable, blocked)
        ],
        ["BTC", "NOPE"]
      )
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual([yield* unlisted, lines], [[], []])
      isAvailable = true
      yield* TestClock.adjust("2 hours")
      assert.deepStrictEqual(yield* unlisted, ["NOPE"])
      assert.deepStrictEqual(lines, ["Warn no source lists NOPE, so no candles are collected for it"])
    }).pipe(Effect.scoped)
)
