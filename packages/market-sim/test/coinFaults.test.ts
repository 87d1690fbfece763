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

/** Applies the same lie to both methods that return candles. */
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

const listing = "lists every coin once, with its facts; those that trade have tickers, by capitalisation"
const shape = "candles lie on their grid within the half-open interval, are possible, and only the last may run"
const day = "a ticker tells the 24 hours of the candles, and is dated"
const unrecorded = "what was not recorded has no candle and no price, at any timeframe"
const dead = "a delisted coin keeps its past and has no present"

const { backfill, layer: store } = makeStoredVenue("BTC")

/** Returns the same revision after a later write. */
const unrevised = (read: WatermarkRead): WatermarkRead => (coins) =>
  mapReadingValue(read(coins), (all) => new Map([...all].map(([coin, one]) => [coin, { ...one, revision: "1" }])))
const written = "what is written below the mark afterwards is other data, of another revision"

const pricedVenue = { now, coins: ["BTC", "XRP"], delisted: "LTC", outage, backfill, takerless: "XRP" } as const

assertFaultsDetected(coinPricesContract, pricedVenue, [
  [
    "a backfill under the same revision",
    written,
    makeFaultyAdapter(CoinPrices, store)((honest) => ({ watermarks: unrevised(honest.watermarks) }))
  ],
  [
    "the price of an instant as the close of the candle that holds it",
    "the price of an instant is the one that was told at it",
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
    "the last candles are those of the range, at most as many as asked for",
    prices((honest) => ({ candles: (query) => withAsOf(honest.candles(query), 0) }))
  ],
  [
    "a range of candles as of now, whatever is in it",
    shape,
    prices((honest) => ({
      candleRange: (query) => withAsOf(honest.candleRange({ ...query, to: query.to - 1e7 }), now)
    }))
  ],
  ["a range that is the price", day, ticker((one) => ({ ...one, high24h: one.price, low24h: one.price }))],
  [
    "a ticker of 1970",
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
  ["no volume", day, ticker((one) => ({ ...one, volume24hUsd: 0 }))],
  ["no change", day, ticker((one) => ({ ...one, change24hPct: 0 }))],
  ["a day that is not told where it was recorded", day, ticker((one) => ({ ...one, high24h: null }))],
  [
    "takers who took nothing where nobody tells",
    "takers that nobody tells are null",
    prices((honest) =>
      candles(honest, (all) => all.map((candle) => ({ ...candle, takerBuyVolume: candle.takerBuyVolume ?? 0 })))
    )
  ],
  [
    "takers who took nothing at all",
    shape,
    wholePrices((honest) => candles(honest, (all) => all.map((candle) => ({ ...candle, takerBuyVolume: 0 }))))
  ],
  [
    "thousands for a unit",
    shape,
    wholePrices((honest) =>
      candles(honest, (all) => all.map((candle) => ({ ...candle, quoteVolume: 1_000 * candle.quoteVolume })))
    )
  ],
  [
    "an outage as flat candles",
    unrecorded,
    prices((honest) => ({
      candleRange: (query) => mapReadingValue(honest.candleRange(query), flat(durationMs[query.timeframe]))
    }))
  ],
  ["candles across an outage", unrecorded, wholePrices(() => ({}))],
  [
    "a price that holds through an outage",
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
    "a price beside its candle",
    "a price is of the instant or shortly before it, never of the future, and within its candle",
    prices((honest) => ({
      priceAt: (query) => mapReadingValue(honest.priceAt(query), (point) => ({ ...point, price: 1.1 * point.price }))
    }))
  ],
  [
    "the dead are forgotten",
    dead,
    prices((honest) => ({
      coins: mapReadingValue(honest.coins, (all) => all.filter(({ delistedAt }) => delistedAt === null))
    }))
  ],
  [
    "a candle that runs on after its market's end",
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

const grid = "history has the grid's instants within the half-open interval, but for gaps"
const silent = "an outage is a gap of every series: no record, no payment, no flow, no liquidation"
const spaced = "payments are full hours and some seconds apart by their interval, within the half-open interval"
const venues = "venues are named once, each as of its own time, and fund after it"
const flow = "taker flow comes in whole buckets, whose sums are those of finer ones"
const tape = "liquidations add up, those cut off included, and say whether they are all"
const steps = "liquidations come by steps, whose sums are those of their events"

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
      "rates in percent where nothing else tells their size",
      "what was paid is of the size of the rates that stood, for as long",
      derivatives((honest) => ({
        ...paid(honest, (rate) => 100 * rate, same),
        ...records(honest, (point) => ({ ...point, fundingRate: null, fundingIntervalHours: null }))
      }))
    ],
    [
      "open interest in dollars where nothing else tells its size",
      "open interest is in coins: worth no more than its market, where the layer gives `CoinPrices` too",
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
      "a record that holds through an outage",
      silent,
      derivatives((honest) => ({
        perpetualHistory: (query) =>
          mapReadingValue(honest.perpetualHistory(query), ({ points }) => gapless(fillPoints(query, points)))
      }))
    ],
    [
      "an outage without takers",
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
      "an outage without liquidations",
      silent,
      derivatives((honest) => ({
        liquidations: (query) => mapReadingValue(honest.liquidations(query), (whole) => ({ ...whole, gaps: [] }))
      }))
    ],
    ["funding of always 8 hours", spaced, derivatives((honest) => paid(honest, same, () => 8))],
    [
      "rates in percent",
      "what was paid is of the size of the rates that stood, for as long",
      derivatives((honest) => paid(honest, (rate) => 100 * rate, same))
    ],
    ["a mark beside its index", grid, history((point) => ({ ...point, markPrice: 2 * point.indexPrice! }))],
    [
      "open interest in coins for one in dollars",
      grid,
      history((point) => ({
        ...point,
        openInterestUsd: point.openInterest
      }))
    ],
    [
      "venues of no time",
      venues,
      derivatives((honest) => ({
        fundingByVenue: (coin) =>
          mapReadingValue(honest.fundingByVenue(coin), (all) => all.map((one) => ({ ...one, time: 0 })))
      }))
    ],
    [
      "a next payment that is past",
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
      "takers of less than nothing",
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
      "a sampled tape as a whole one",
      tape,
      derivatives((honest) => ({
        liquidations: (query) =>
          mapReadingValue(honest.liquidations(query), (whole) => ({ ...whole, coverage: "whole" }))
      }))
    ],
    [
      "steps on the hour",
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
      "steps of the events that were kept",
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
    "a book that crosses",
    "both sides are best first, have sizes, and never touch",
    books((honest) => ({
      orderBook: (coin) =>
        mapReadingValue(honest.orderBook(coin), (book) => ({ ...book, bids: book.asks, asks: book.bids }))
    }))
  ],
  [
    "a book that is told further than it is known",
    "no level lies beyond how far its side is known",
    books((honest) => ({
      orderBook: (coin) => mapReadingValue(honest.orderBook(coin), (book) => ({ ...book, asksReach: 1e-6 }))
    }))
  ],
  [
    "a book of 1970",
    "both sides are best first, have sizes, and never touch",
    books((honest) => ({
      orderBook: (coin) =>
        Effect.map(
          honest.orderBook(coin),
          (read) => ({ ...mapReading(read, (book) => ({ ...book, time: 0 })), asOf: 0 })
        )
    }))
  ]
])
