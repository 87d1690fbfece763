import { assert, describe, it } from "@effect/vitest"
import {
  bucketStart,
  CoinPrices,
  durationMs,
  foldCandles,
  makeReading,
  mapReading,
  maxPriceAgeMs,
  minuteMs,
  NoData
} from "@tapeline/core/market"
import { coinPricesContract } from "@tapeline/testing/contracts/coinPrices"
import { waive } from "@tapeline/testing/contracts/waiver"
import { Clock, Effect } from "effect"
import { makeFaultyAdapter, mapReadingValue } from "./support/faultyAdapters.ts"
import { layerCompleteMarket, now, outage } from "./support/markets.ts"

const prices = makeFaultyAdapter(CoinPrices, layerCompleteMarket)
const fineMs = durationMs["5m"]
const noData = new NoData({ subject: "SOL", reason: { key: "none_recorded", params: { symbol: "SOL" } } })

/** SOL is listed, but the adapter has no ticker of SOL. */
const silent = prices.replace((original) => ({
  ticker: (coin) => coin === "SOL" ? Effect.fail(noData) : original.ticker(coin),
  tickers: mapReadingValue(original.tickers, (all) => all.filter(({ coin }) => coin !== "SOL"))
}))

/** Provides 5-minute candles only three minutes after their close. The watermark excludes the delayed candles. */
const laggingPrices = prices.replace((original) => {
  const mark = Effect.map(Clock.currentTimeMillis, (time) => Math.floor((time - 3 * minuteMs) / fineMs) * fineMs)
  return {
    candles: (query) =>
      Effect.flatMap(mark, (end) => original.candles({ ...query, until: Math.min(query.until ?? Infinity, end) })),
    watermarks: (coins) =>
      Effect.zipWith(
        mark,
        original.watermarks(coins),
        (contiguousUntil, read) =>
          mapReading(read, (all) => new Map([...all].map(([coin, one]) => [coin, { ...one, contiguousUntil }])))
      ),
    priceAt: ({ coin, time }) =>
      Effect.flatMap(mark, (end) =>
        Effect.map(
          original.priceAt({ coin, time: Math.min(time, end) }),
          ({ sources, value }) => makeReading(value, sources, value.time)
        ))
  }
})

/** Combines a venue's 5-minute candles, which have gaps, into longer candles, as `foldCandles` does. */
const foldingPrices = makeFaultyAdapter(CoinPrices).replace((original) => ({
  candles: Effect.fnUntraced(function*({ bars, coin, timeframe, until = Infinity }) {
    const end = Math.min(until, yield* Clock.currentTimeMillis)
    const from = bucketStart(timeframe, end) - (bars - 1) * durationMs[timeframe]
    const { sources, value } = yield* original.candleRange({ coin, timeframe: "5m", from, to: end })
    const candles = foldCandles(value.filter(({ time }) => time + fineMs <= end), timeframe, { until: end })
    return candles.length === 0 ? yield* noData : makeReading(candles, sources, end)
  }),
  priceAt: Effect.fnUntraced(function*({ coin, time }) {
    const fineQuery = { coin, timeframe: "5m", from: time - maxPriceAgeMs - fineMs, to: time - fineMs + 1 } as const
    const { sources, value } = yield* original.candleRange(fineQuery)
    const last = value.at(-1)!
    return makeReading({ time: last.time + fineMs, price: last.close }, sources, last.time + fineMs)
  })
}))

const venue = {
  now,
  coins: ["BTC"],
  delisted: waive("no coin was delisted"),
  outage,
  takerless: waive("reports taker volume"),
  backfill: waive("computes its past")
} as const

describe("the contract suite accepts an unusual but correct adapter", () => {
  for (
    const [description, check, layer] of [
      [
        "a coin without a price",
        "lists every coin once with its facts, and trading coins have tickers sorted by market capitalisation",
        silent
      ],
      [
        "candles and a watermark that lag",
        "returns the candles up to a past instant as they were at that instant",
        laggingPrices
      ],
      [
        "prices and a watermark that lag",
        "the price of a past instant equals the price that was returned at that instant",
        laggingPrices
      ],
      [
        "prices and coarse candles that are merged from 5m candles",
        "an outage has no candle on any timeframe, and no price",
        foldingPrices
      ]
    ] as const
  ) {
    it.effect(
      description,
      () => Effect.map(coinPricesContract.failureOf(check, layer, venue), (failure) => assert.isNull(failure))
    )
  }
})
