import {
  type Candle,
  CoinDerivatives,
  CoinPrices,
  durationMs,
  hourMs,
  makeReading,
  OrderBooks,
  type PerpetualPoint,
  type Series,
  type Ticker,
  type Timeframe,
  type Watermark
} from "@tapeline/core/market"
import { coinDerivativesContract } from "@tapeline/testing/contracts/coinDerivatives"
import { coinPricesContract } from "@tapeline/testing/contracts/coinPrices"
import { orderBooksContract } from "@tapeline/testing/contracts/orderBooks"
import { Effect, Layer } from "effect"
import {
  assertFaultsDetected,
  type Changes,
  fillPoints,
  makeFaultyAdapter,
  mapReadingValue
} from "./support/faultyAdapters.ts"
import { layerCompleteMarket, makeStoredVenue, now, outage } from "./support/markets.ts"

const prices = makeFaultyAdapter(CoinPrices)
const wholePrices = makeFaultyAdapter(CoinPrices, layerCompleteMarket)

const candles = (make: typeof prices, change: (candle: Candle, index: number, all: ReadonlyArray<Candle>) => Candle) =>
  make.change({ candles: (all) => all.map(change), candleRange: (all) => all.map(change) })

const ticker = (change: (ticker: Ticker) => Ticker) =>
  wholePrices.change({ ticker: change, tickers: (all) => all.map(change) })

/** Fills an outage with candles that have the last price and no volume. */
const flat = (all: ReadonlyArray<Candle>, { timeframe }: { readonly timeframe: Timeframe }) =>
  fillPoints({ from: all[0]!.time, to: now, stepMs: durationMs[timeframe] }, all, ({ close }, time): Candle => ({
    time,
    open: close,
    high: close,
    low: close,
    close,
    volume: 0,
    quoteVolume: 0,
    takerBuyVolume: 0,
    closed: true
  }))

const listing = "lists every coin once with its facts, and trading coins have tickers sorted by market capitalisation"
const shape = "candles are possible, on their grid within the half-open interval, and only the last may be open"
const day = "a ticker has the 24-hour figures of the candles and its own time"
const unrecorded = "an outage has no candle on any timeframe, and no price"
const keepsPastOfDelisted = "a delisted coin keeps its past data and has no current data"

const { backfill, layer: store } = makeStoredVenue("BTC")

/** Replaces every revision by a constant, which wrongly remains the same after a later write. */
const withConstantRevision = (all: ReadonlyMap<string, Watermark>) =>
  new Map(Array.from(all, ([coin, one]) => [coin, { ...one, revision: "1" }]))
const changeBeforeWatermark = "a write before the watermark changes the data and the revision"

const pricedVenue = { now, coins: ["BTC", "XRP"], delisted: "LTC", outage, backfill, takerless: "XRP" } as const

assertFaultsDetected(coinPricesContract, pricedVenue, [
  [
    "a backfill under the same revision",
    changeBeforeWatermark,
    makeFaultyAdapter(CoinPrices, store).change({ watermarks: withConstantRevision })
  ],
  [
    "a price of an instant that is the close of its candle",
    "the price of a past instant equals the price that was returned at that instant",
    prices.replace((original) => ({
      priceAt: ({ coin, time }) =>
        Effect.map(
          original.candleRange({ coin, timeframe: "5m", from: time - durationMs["5m"] + 1, to: time + 1 }),
          ({ sources, value: [candle] }) =>
            makeReading({ time: candle!.time, price: candle!.close }, sources, candle!.time)
        )
    }))
  ],
  ["coins as of 1970", listing, prices.setAsOf({ coins: 0 })],
  ["a coin as of 1970", listing, prices.setAsOf({ coin: 0 })],
  ["tickers as of 1970", listing, prices.setAsOf({ tickers: 0 })],
  [
    "candles as of 1970",
    "the last candles equal those of the range, and are at most as many as requested",
    prices.setAsOf({ candles: 0 })
  ],
  [
    "a range of old candles as of now",
    shape,
    prices.replace((original) => ({
      candleRange: (query) =>
        Effect.map(
          original.candleRange({ ...query, to: query.to - 1e7 }),
          ({ sources, value }) => makeReading(value, sources, now)
        )
    }))
  ],
  ["a 24-hour range equal to the price", day, ticker((one) => ({ ...one, high24h: one.price, low24h: one.price }))],
  ["a ticker with a time of 1970", day, wholePrices.change({ ticker: (one) => ({ ...one, time: 0 }) }, 0)],
  ["a coin that trades without a ticker", listing, prices.change({ tickers: (all) => all.slice(0, -1) })],
  ["a 24-hour volume of zero", day, ticker((one) => ({ ...one, volume24hUsd: 0 }))],
  ["a 24-hour change of zero", day, ticker((one) => ({ ...one, change24hPct: 0 }))],
  ["a null 24-hour high although the day was recorded", day, ticker((one) => ({ ...one, high24h: null }))],
  [
    "a taker volume of zero instead of null",
    "taker volume that the venue does not report is null",
    candles(prices, (candle) => ({ ...candle, takerBuyVolume: candle.takerBuyVolume ?? 0 }))
  ],
  [
    "a taker volume of zero in all candles",
    shape,
    candles(wholePrices, (candle) => ({ ...candle, takerBuyVolume: 0 }))
  ],
  [
    "volumes in the wrong unit",
    shape,
    candles(wholePrices, (candle) => ({ ...candle, quoteVolume: 1_000 * candle.quoteVolume }))
  ],
  ["flat candles during an outage", unrecorded, prices.change({ candleRange: flat })],
  ["candles across an outage", unrecorded, wholePrices.change({})],
  [
    "a price that is repeated through an outage",
    unrecorded,
    prices.replace((original) => ({
      priceAt: (query) =>
        query.time >= outage.from && query.time < outage.to
          ? mapReadingValue(
            original.priceAt({ ...query, time: outage.from - 1 }),
            (point) => ({ ...point, time: query.time })
          )
          : original.priceAt(query)
    }))
  ],
  [
    "a price outside its candle",
    "a price is from the instant or shortly before, never from the future, and within its candle",
    prices.change({ priceAt: (point) => ({ ...point, price: 1.1 * point.price }) })
  ],
  [
    "a list without delisted coins",
    keepsPastOfDelisted,
    prices.change({ coins: (all) => all.filter(({ delistedAt }) => delistedAt === null) })
  ],
  [
    "an open candle after its market's delisting",
    keepsPastOfDelisted,
    candles(prices, (candle, i, all) => i < all.length - 1 ? candle : { ...candle, closed: false })
  ],
  [
    "minute prices that are repeated through an outage",
    "an outage has no candle on any timeframe, and no price",
    prices.change({
      minutes: (all, query) =>
        new Map(
          [...all].map(([coin, { knownUntil }]) => [coin, { knownUntil, points: [{ time: query.after, price: 1 }] }])
        )
    })
  ],
  [
    "minutes with their opening price",
    "closed minutes of many coins have the prices at their ends",
    prices.replace((original) => ({
      minutes: (query) =>
        mapReadingValue(
          original.minutes({ ...query, after: query.after - 60_000 }),
          (all) =>
            new Map(Array.from(all, ([coin, { knownUntil, points }]) => [
              coin,
              { knownUntil, points: points.slice(1).map(({ time }, i) => ({ time, price: points[i]!.price })) }
            ]))
        )
    }))
  ],
  [
    "candles of one coin for every coin",
    "candles of many coins equal the candles of each coin",
    prices.change({ candlesByCoin: (all) => new Map(Array.from(all.keys(), (coin) => [coin, all.get("BTC")!])) })
  ]
])

const derivatives = makeFaultyAdapter(CoinDerivatives)
type Derivatives = CoinDerivatives["Service"]
const gapless = <A extends { readonly time: number }>(points: ReadonlyArray<A>): Series<A> => ({ points, gaps: [] })

const inPercent: Changes<Derivatives> = {
  fundingPayments: (all) => all.map((payment) => ({ ...payment, fundingRate: 100 * payment.fundingRate }))
}

const history = (change: (point: PerpetualPoint) => PerpetualPoint) =>
  derivatives.change({ perpetualHistory: ({ gaps, points }) => ({ gaps, points: points.map(change) }) })

const grid = "history has every instant of the grid within the half-open interval, except in gaps"
const silent = "an outage is a gap in every series, without records, payments, flow or liquidations"
const paymentSpacing = "payments are near full hours, one interval apart, and within the half-open interval"
const venues = "venues are listed once, each with its own time and a later next payment"
const flow = "taker flow is in whole buckets that equal the sums of finer buckets"
const tape = "liquidation sums include events beyond the limit, and coverage is reported"
const steps = "liquidation steps equal the sums of their events"

const filledIn = makeStoredVenue("SOL")

const records = (change: (point: PerpetualPoint) => PerpetualPoint): Changes<Derivatives> => ({
  perpetual: (point) => ({ ...point, ...change(point) }),
  perpetuals: (all) => all.map(({ coin, ...point }) => ({ coin, ...change(point) })),
  perpetualHistory: ({ gaps, points }) => ({ gaps, points: points.map(change) })
})

assertFaultsDetected(
  coinDerivativesContract,
  {
    now,
    coins: ["BTC", "SOL", "DOGE"],
    stablecoin: "USDT",
    coverage: "sampled",
    sameVenues: true,
    outage,
    backfill: filledIn.backfill
  },
  [
    [
      "a backfill under the same revision",
      changeBeforeWatermark,
      makeFaultyAdapter(CoinDerivatives, filledIn.layer).change({ watermarks: withConstantRevision })
    ],
    [
      "rates in percent without other rates for comparison",
      "paid rates per hour have the magnitude of the reported rates",
      derivatives.change({
        ...inPercent,
        ...records((point) => ({ ...point, fundingRate: null, fundingIntervalHours: null }))
      })
    ],
    [
      "open interest in dollars without other figures for comparison",
      "open interest is in coins and plausible for its market, if the layer provides `CoinPrices`",
      Layer.merge(
        prices.change({}),
        derivatives.change(records((point) => ({
          ...point,
          openInterest: point.openInterestUsd,
          openInterestUsd: null,
          markPrice: null,
          indexPrice: null
        })))
      )
    ],
    [
      "records that are repeated through an outage",
      silent,
      derivatives.change({ perpetualHistory: ({ points }, query) => gapless(fillPoints(query, points)) })
    ],
    [
      "taker flow of zero during an outage",
      silent,
      derivatives.change({
        takerFlow: ({ points }, query) =>
          gapless(fillPoints(query, points, (_, time) => ({ time, buyUsd: 0, sellUsd: 0 })))
      })
    ],
    [
      "liquidations without gaps during an outage",
      silent,
      derivatives.change({ liquidations: (activity) => ({ ...activity, gaps: [] }) })
    ],
    [
      "a funding interval that is always 8 hours",
      paymentSpacing,
      derivatives.change({ fundingPayments: (all) => all.map((payment) => ({ ...payment, intervalHours: 8 })) })
    ],
    [
      "rates in percent",
      "paid rates per hour have the magnitude of the reported rates",
      derivatives.change(inPercent)
    ],
    ["a mark price far from its index", grid, history((point) => ({ ...point, markPrice: 2 * point.indexPrice! }))],
    [
      "open interest in coins instead of dollars",
      grid,
      history((point) => ({ ...point, openInterestUsd: point.openInterest }))
    ],
    [
      "venues with a time of 1970",
      venues,
      derivatives.change({ fundingByVenue: (all) => all.map((one) => ({ ...one, time: 0 })) })
    ],
    [
      "a next payment in the past",
      venues,
      derivatives.change({ fundingByVenue: (all) => all.map((one) => ({ ...one, nextFundingAt: one.time - 1 })) })
    ],
    [
      "futures without a price",
      "futures expire in the future, nearest first",
      derivatives.change({ futures: (all) => all.map((one) => ({ ...one, price: 0, indexPrice: -1 })) })
    ],
    [
      "negative taker flow",
      flow,
      derivatives.change({
        takerFlow: ({ gaps, points }) => ({
          gaps,
          points: points.map(({ buyUsd, sellUsd, time }) => ({ time, buyUsd: -sellUsd, sellUsd: -buyUsd }))
        })
      })
    ],
    [
      "a sampled tape that claims to be complete",
      tape,
      derivatives.change({ liquidations: (tape) => ({ ...tape, coverage: "whole" }) })
    ],
    [
      "steps that begin at full hours",
      steps,
      derivatives.change({
        liquidations: (flow) => ({
          ...flow,
          steps: flow.steps.map((step) => ({ ...step, time: Math.floor(step.time / hourMs) * hourMs }))
        })
      })
    ],
    [
      "steps that sum only the returned events",
      steps,
      derivatives.replace((original) => ({
        liquidations: (query) =>
          Effect.flatMap(original.liquidations(query), (limitedTape) => {
            const [first] = limitedTape.value.events
            return first === undefined
              ? Effect.succeed(limitedTape)
              : mapReadingValue(original.liquidations({ ...query, from: first.time }), (flow) => ({
                ...limitedTape.value,
                steps: flow.steps
              }))
          })
      }))
    ]
  ]
)

const books = makeFaultyAdapter(OrderBooks)

assertFaultsDetected(orderBooksContract, { now, coins: ["BTC"] }, [
  [
    "a crossed book",
    "both sides are sorted best first, have sizes, and do not cross",
    books.change({ orderBook: (book) => ({ ...book, bids: book.asks, asks: book.bids }) })
  ],
  [
    "levels beyond the known reach",
    "no level is beyond the reach of its side",
    books.change({ orderBook: (book) => ({ ...book, asksReach: 1e-6 }) })
  ],
  [
    "a book with a time of 1970",
    "both sides are sorted best first, have sizes, and do not cross",
    books.change({ orderBook: (book) => ({ ...book, time: 0 }) }, 0)
  ]
])
