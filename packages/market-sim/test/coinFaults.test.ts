// The contract suites of coins' ports detect incorrect adapters: each adapter fails the check that is named with it.
import {
  type Candle,
  CoinDerivatives,
  CoinPrices,
  durationMs,
  hourMs,
  makeReading,
  mapReading,
  OrderBooks,
  type PerpetualPoint,
  type Series,
  type Ticker,
  type WatermarkRead
} from "@tapeline/core/market"
import { coinDerivativesContract } from "@tapeline/testing/contracts/coinDerivatives"
import { coinPricesContract } from "@tapeline/testing/contracts/coinPrices"
import { orderBooksContract } from "@tapeline/testing/contracts/orderBooks"
import { Effect, Layer } from "effect"
import {
  assertFaultsDetected,
  fillPoints,
  makeFaultyAdapter,
  mapReadingValue,
  withAsOf
} from "./support/faultyAdapters.ts"
import { layerCompleteMarket, makeStoredVenue, now, outage } from "./support/markets.ts"

const prices = makeFaultyAdapter(CoinPrices)
const wholePrices = makeFaultyAdapter(CoinPrices, layerCompleteMarket)
type Prices = CoinPrices["Service"]

/** Applies the same change to both methods that return candles. */
const candles = (honest: Prices, lie: (all: ReadonlyArray<Candle>) => ReadonlyArray<Candle>): Partial<Prices> => ({
  candles: (query) => mapReadingValue(honest.candles(query), lie),
  candleRange: (query) => mapReadingValue(honest.candleRange(query), lie)
})

const ticker = (lie: (ticker: Ticker) => Ticker) =>
  wholePrices((honest) => ({
    ticker: (coin) => mapReadingValue(honest.ticker(coin), lie),
    tickers: mapReadingValue(honest.tickers, (all) => all.map(lie))
  }))

/** Fills an outage with candles at the last price, without volume. */
const flat = (length: number) => (all: ReadonlyArray<Candle>): ReadonlyArray<Candle> =>
  fillPoints({ from: all[0]!.time, to: now, stepMs: length }, all, ({ close }, time): Candle => ({
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
const dead = "a delisted coin keeps its past data and has no current data"

const { backfill, layer: store } = makeStoredVenue("BTC")

/** Returns the same revision after a later write. */
const unrevised = (read: WatermarkRead): WatermarkRead => (coins) =>
  mapReadingValue(read(coins), (all) => new Map([...all].map(([coin, one]) => [coin, { ...one, revision: "1" }])))
const written = "a write before the watermark changes the data and the revision"

const pricedVenue = { now, coins: ["BTC", "XRP"], delisted: "LTC", outage, backfill, takerless: "XRP" } as const

assertFaultsDetected(coinPricesContract, pricedVenue, [
  [
    "a backfill under the same revision",
    written,
    makeFaultyAdapter(CoinPrices, store)((honest) => ({ watermarks: unrevised(honest.watermarks) }))
  ],
  [
    "a price of an instant that is the close of its candle",
    "the price of a past instant equals the price that was returned at that instant",
    prices((honest) => ({
      priceAt: ({ coin, time }) =>
        Effect.map(
          honest.candleRange({ coin, timeframe: "5m", from: time - durationMs["5m"] + 1, to: time + 1 }),
          ({ sources, value: [candle] }) =>
            makeReading({ time: candle!.time, price: candle!.close }, sources, candle!.time)
        )
    }))
  ],
  ["coins as of 1970", listing, prices((honest) => ({ coins: withAsOf(honest.coins, 0) }))],
  ["a coin as of 1970", listing, prices((honest) => ({ coin: (coin) => withAsOf(honest.coin(coin), 0) }))],
  ["tickers as of 1970", listing, prices((honest) => ({ tickers: withAsOf(honest.tickers, 0) }))],
  [
    "candles as of 1970",
    "the last candles equal those of the range, and are at most as many as requested",
    prices((honest) => ({ candles: (query) => withAsOf(honest.candles(query), 0) }))
  ],
  [
    "a range of old candles as of now",
    shape,
    prices((honest) => ({
      candleRange: (query) => withAsOf(honest.candleRange({ ...query, to: query.to - 1e7 }), now)
    }))
  ],
  ["a 24-hour range equal to the price", day, ticker((one) => ({ ...one, high24h: one.price, low24h: one.price }))],
  [
    "a ticker with a time of 1970",
    day,
    wholePrices((honest) => ({
      ticker: (coin) => withAsOf(mapReadingValue(honest.ticker(coin), (one) => ({ ...one, time: 0 })), 0)
    }))
  ],
  [
    "a coin that trades without a ticker",
    listing,
    prices((honest) => ({
      tickers: mapReadingValue(honest.tickers, (all) => all.slice(0, -1))
    }))
  ],
  ["a 24-hour volume of zero", day, ticker((one) => ({ ...one, volume24hUsd: 0 }))],
  ["a 24-hour change of zero", day, ticker((one) => ({ ...one, change24hPct: 0 }))],
  ["a null 24-hour high although the day was recorded", day, ticker((one) => ({ ...one, high24h: null }))],
  [
    "a taker volume of zero instead of null",
    "taker volume that the venue does not report is null",
    prices((honest) =>
      candles(honest, (all) => all.map((candle) => ({ ...candle, takerBuyVolume: candle.takerBuyVolume ?? 0 })))
    )
  ],
  [
    "a taker volume of zero in all candles",
    shape,
    wholePrices((honest) => candles(honest, (all) => all.map((candle) => ({ ...candle, takerBuyVolume: 0 }))))
  ],
  [
    "volumes in the wrong unit",
    shape,
    wholePrices((honest) =>
      candles(honest, (all) => all.map((candle) => ({ ...candle, quoteVolume: 1_000 * candle.quoteVolume })))
    )
  ],
  [
    "flat candles during an outage",
    unrecorded,
    prices((honest) => ({
      candleRange: (query) => mapReadingValue(honest.candleRange(query), flat(durationMs[query.timeframe]))
    }))
  ],
  ["candles across an outage", unrecorded, wholePrices(() => ({}))],
  [
    "a price that is repeated through an outage",
    unrecorded,
    prices((honest) => ({
      priceAt: (query) =>
        query.time >= outage.from && query.time < outage.to
          ? mapReadingValue(
            honest.priceAt({ ...query, time: outage.from - 1 }),
            (point) => ({ ...point, time: query.time })
          )
          : honest.priceAt(query)
    }))
  ],
  [
    "a price outside its candle",
    "a price is from the instant or shortly before, never from the future, and within its candle",
    prices((honest) => ({
      priceAt: (query) => mapReadingValue(honest.priceAt(query), (point) => ({ ...point, price: 1.1 * point.price }))
    }))
  ],
  [
    "a list without delisted coins",
    dead,
    prices((honest) => ({
      coins: mapReadingValue(honest.coins, (all) => all.filter(({ delistedAt }) => delistedAt === null))
    }))
  ],
  [
    "an open candle after its market's delisting",
    dead,
    prices((honest) =>
      candles(honest, (all) => all.map((candle, i) => i < all.length - 1 ? candle : { ...candle, closed: false }))
    )
  ]
])

const derivatives = makeFaultyAdapter(CoinDerivatives)
type Derivatives = CoinDerivatives["Service"]
const gapless = <A extends { readonly time: number }>(points: ReadonlyArray<A>): Series<A> => ({ points, gaps: [] })

const paid = (honest: Derivatives, rate: (rate: number) => number, hours: (hours: number) => number) => ({
  fundingPayments: (query: Parameters<Derivatives["fundingPayments"]>[0]) =>
    mapReadingValue(honest.fundingPayments(query), (all) =>
      all.map((print) => ({
        ...print,
        fundingRate: rate(print.fundingRate),
        intervalHours: hours(print.intervalHours)
      })))
})
const same = (x: number): number => x

const history = (lie: (point: PerpetualPoint) => PerpetualPoint) =>
  derivatives((honest) => ({
    perpetualHistory: (query) =>
      mapReadingValue(honest.perpetualHistory(query), ({ gaps, points }) => ({ gaps, points: points.map(lie) }))
  }))

const grid = "history has every instant of the grid within the half-open interval, except in gaps"
const silent = "an outage is a gap in every series, without records, payments, flow or liquidations"
const spaced = "payments are near full hours, one interval apart, and within the half-open interval"
const venues = "venues are listed once, each with its own time and a later next payment"
const flow = "taker flow is in whole buckets that equal the sums of finer buckets"
const tape = "liquidation sums include events beyond the limit, and coverage is reported"
const steps = "liquidation steps equal the sums of their events"

const filledIn = makeStoredVenue("SOL")

/** Changes perpetual records in all methods that return them. */
const records = (honest: Derivatives, lie: (point: PerpetualPoint) => PerpetualPoint): Partial<Derivatives> => ({
  perpetual: (coin) => mapReadingValue(honest.perpetual(coin), (point) => ({ ...point, ...lie(point) })),
  perpetuals: mapReadingValue(honest.perpetuals, (all) => all.map(({ coin, ...point }) => ({ coin, ...lie(point) }))),
  perpetualHistory: (query) =>
    mapReadingValue(honest.perpetualHistory(query), ({ gaps, points }) => ({ gaps, points: points.map(lie) }))
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
      written,
      makeFaultyAdapter(CoinDerivatives, filledIn.layer)((honest) => ({ watermarks: unrevised(honest.watermarks) }))
    ],
    [
      "rates in percent without other rates for comparison",
      "paid rates per hour have the magnitude of the reported rates",
      derivatives((honest) => ({
        ...paid(honest, (rate) => 100 * rate, same),
        ...records(honest, (point) => ({ ...point, fundingRate: null, fundingIntervalHours: null }))
      }))
    ],
    [
      "open interest in dollars without other figures for comparison",
      "open interest is in coins and plausible for its market, if the layer provides `CoinPrices`",
      Layer.merge(
        prices(() => ({})),
        derivatives((honest) =>
          records(honest, (point) => ({
            ...point,
            openInterest: point.openInterestUsd,
            openInterestUsd: null,
            markPrice: null,
            indexPrice: null
          }))
        )
      )
    ],
    [
      "records that are repeated through an outage",
      silent,
      derivatives((honest) => ({
        perpetualHistory: (query) =>
          mapReadingValue(honest.perpetualHistory(query), ({ points }) => gapless(fillPoints(query, points)))
      }))
    ],
    [
      "taker flow of zero during an outage",
      silent,
      derivatives((honest) => ({
        takerFlow: (query) =>
          mapReadingValue(
            honest.takerFlow(query),
            ({ points }) => gapless(fillPoints(query, points, (_, time) => ({ time, buyUsd: 0, sellUsd: 0 })))
          )
      }))
    ],
    [
      "liquidations without gaps during an outage",
      silent,
      derivatives((honest) => ({
        liquidations: (query) => mapReadingValue(honest.liquidations(query), (whole) => ({ ...whole, gaps: [] }))
      }))
    ],
    ["a funding interval that is always 8 hours", spaced, derivatives((honest) => paid(honest, same, () => 8))],
    [
      "rates in percent",
      "paid rates per hour have the magnitude of the reported rates",
      derivatives((honest) => paid(honest, (rate) => 100 * rate, same))
    ],
    ["a mark price far from its index", grid, history((point) => ({ ...point, markPrice: 2 * point.indexPrice! }))],
    [
      "open interest in coins instead of dollars",
      grid,
      history((point) => ({
        ...point,
        openInterestUsd: point.openInterest
      }))
    ],
    [
      "venues with a time of 1970",
      venues,
      derivatives((honest) => ({
        fundingByVenue: (coin) =>
          mapReadingValue(honest.fundingByVenue(coin), (all) => all.map((one) => ({ ...one, time: 0 })))
      }))
    ],
    [
      "a next payment in the past",
      venues,
      derivatives((honest) => ({
        fundingByVenue: (coin) =>
          mapReadingValue(
            honest.fundingByVenue(coin),
            (all) => all.map((one) => ({ ...one, nextFundingAt: one.time - 1 }))
          )
      }))
    ],
    [
      "futures without a price",
      "futures expire in the future, nearest first",
      derivatives((honest) => ({
        futures: (coin) =>
          mapReadingValue(honest.futures(coin), (all) => all.map((one) => ({ ...one, price: 0, indexPrice: -1 })))
      }))
    ],
    [
      "negative taker flow",
      flow,
      derivatives((honest) => ({
        takerFlow: (query) =>
          mapReadingValue(honest.takerFlow(query), ({ gaps, points }) => ({
            gaps,
            points: points.map(({ buyUsd, sellUsd, time }) => ({ time, buyUsd: -sellUsd, sellUsd: -buyUsd }))
          }))
      }))
    ],
    [
      "a sampled tape that claims to be complete",
      tape,
      derivatives((honest) => ({
        liquidations: (query) =>
          mapReadingValue(honest.liquidations(query), (whole) => ({ ...whole, coverage: "whole" }))
      }))
    ],
    [
      "steps that begin at full hours",
      steps,
      derivatives((honest) => ({
        liquidations: (query) =>
          mapReadingValue(
            honest.liquidations(query),
            (whole) => ({
              ...whole,
              steps: whole.steps.map((step) => ({ ...step, time: Math.floor(step.time / hourMs) * hourMs }))
            })
          )
      }))
    ],
    [
      "steps that sum only the returned events",
      steps,
      derivatives((honest) => ({
        liquidations: (query) =>
          Effect.flatMap(honest.liquidations(query), (cut) => {
            const [first] = cut.value.events
            return first === undefined
              ? Effect.succeed(cut)
              : mapReadingValue(honest.liquidations({ ...query, from: first.time }), (whole) => ({
                ...cut.value,
                steps: whole.steps
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
    books((honest) => ({
      orderBook: (coin) =>
        mapReadingValue(honest.orderBook(coin), (book) => ({ ...book, bids: book.asks, asks: book.bids }))
    }))
  ],
  [
    "levels beyond the known reach",
    "no level is beyond the reach of its side",
    books((honest) => ({
      orderBook: (coin) => mapReadingValue(honest.orderBook(coin), (book) => ({ ...book, asksReach: 1e-6 }))
    }))
  ],
  [
    "a book with a time of 1970",
    "both sides are sorted best first, have sizes, and do not cross",
    books((honest) => ({
      orderBook: (coin) =>
        Effect.map(
          honest.orderBook(coin),
          (read) => ({ ...mapReading(read, (book) => ({ ...book, time: 0 })), asOf: 0 })
        )
    }))
  ]
])
