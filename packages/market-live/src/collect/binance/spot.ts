import { dayMs, type Interval, minuteMs, type SourceUnavailable, type Ticker } from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import type { BinanceSpot, SpotMarket } from "../../sources/binance/spot.ts"
import { coinDocument, tickerDocument } from "../../stored/documents.ts"
import type { Collector, DocumentsCollector, SeriesCollector, Subject } from "../collector.ts"
import { toldUntil } from "../toldUntil.ts"
import type { TrackedCoin } from "../trackedCoins.ts"

const source = "binance"
const quote = "USDT"
const fineMs = 5 * minuteMs
/** As many candles as one answer holds. */
const most = 1_000

interface Listed extends TrackedCoin {
  readonly symbol: string
  readonly listedAt: number
}

/** The tracked coins that trade there, with when their markets began, which is asked for once. */
const listedOn = (
  spot: BinanceSpot["Service"],
  coins: ReadonlyArray<TrackedCoin>
): Effect.Effect<ReadonlyArray<Listed>, SourceUnavailable> => {
  const began = new Map<string, number>()
  const beginningOf = ({ symbol }: SpotMarket) =>
    Effect.suspend(() => {
      const known = began.get(symbol)
      if (known !== undefined) return Effect.succeed(known)
      return Effect.map(spot.firstMinute(symbol), ({ value }) => {
        if (value !== null) began.set(symbol, value)
        return value
      })
    })
  return Effect.flatMap(spot.markets(quote), ({ value: markets }) => {
    const bySymbol = new Map(markets.map((market) => [market.coin, market]))
    return Effect.map(
      Effect.forEach(coins, (coin) => {
        const market = bySymbol.get(coin.coin)
        if (market === undefined || !market.trades) return Effect.succeed([])
        return Effect.map(
          beginningOf(market),
          (listedAt) => listedAt === null ? [] : [{ ...coin, symbol: market.symbol, listedAt }]
        )
      }),
      (found) => found.flat()
    )
  })
}

export interface SpotDays {
  /** How far back candles and prices of minutes are recorded from the beginning on. */
  readonly candleDays: number
  readonly priceDays: number
}

type Klines = (
  symbol: string,
  interval: Interval
) => ReturnType<BinanceSpot["Service"]["candles"]>

/** Closed candles of an interval, and until when they are all. */
const closedCandles = (ask: Klines, symbol: string, interval: Interval, stepMs: number) =>
  Effect.map(ask(symbol, interval), (answer) => {
    // One that is not listed any more tells nothing.
    if (answer.value === null) return { rows: [], until: interval.from }
    const rows = answer.value.filter(({ closed }) => closed)
    return { rows, until: toldUntil(interval, { answer, times: rows.map(({ time }) => time), most, stepMs }) }
  })

const symbolOf = (coin: string): string => `${coin}${quote}`

const candles = (spot: BinanceSpot["Service"], subjects: Subjects, days: number): SeriesCollector => ({
  _tag: "series",
  source,
  name: "candles",
  kind: pointsKinds.candles,
  everyMs: fineMs,
  offsetMs: 2_000,
  rowsAre: "buckets",
  subjects,
  backfill: {
    reachesBackMs: Infinity,
    wantedMs: days * dayMs,
    longestMs: most * fineMs,
    ask: (coin, interval) =>
      Effect.map(
        closedCandles(
          (symbol, of) => spot.candles({ symbol, interval: "5m", ...of }),
          symbolOf(coin),
          interval,
          fineMs
        ),
        ({ rows, until }) => ({ source, until, rows: rows.map(({ closed: _, ...row }) => row) })
      )
  }
})

/** What minutes ended with, at their ends. */
const prices = (spot: BinanceSpot["Service"], subjects: Subjects, days: number): SeriesCollector => ({
  _tag: "series",
  source,
  name: "prices",
  kind: pointsKinds.prices,
  everyMs: minuteMs,
  offsetMs: 2_000,
  rowsAre: "instants",
  subjects,
  backfill: {
    reachesBackMs: Infinity,
    wantedMs: days * dayMs,
    longestMs: most * minuteMs,
    ask: (coin, { from, to }) => {
      const minutes = { from: from - minuteMs, to: to - minuteMs }
      return Effect.map(
        closedCandles(
          (symbol, of) => spot.candles({ symbol, interval: "1m", ...of }),
          symbolOf(coin),
          minutes,
          minuteMs
        ),
        ({ rows, until }) => ({
          source,
          until: until + minuteMs,
          rows: rows.map(({ close, time }) => ({ time: time + minuteMs, price: close }))
        })
      )
    }
  }
})

const facts = (listed: Effect.Effect<ReadonlyArray<Listed>, SourceUnavailable>): DocumentsCollector => ({
  _tag: "documents",
  source,
  name: "coins",
  kind: coinDocument.kind,
  everyMs: 60 * minuteMs,
  offsetMs: 0,
  ask: Effect.gen(function*() {
    const coins = yield* listed
    const time = yield* Clock.currentTimeMillis
    const documents = coins.map(({ coin, listedAt, name, sector }) =>
      coinDocument.rowOf({ key: coin, time, source }, {
        name,
        sector,
        circulatingSupply: null,
        maxSupply: null,
        listedAt,
        delistedAt: null,
        isStablecoin: false
      })
    )
    return { documents, faults: [] }
  })
})

const dayOf = ({ coin: key, time, ...day }: Ticker) => {
  const { change24hPct, high24h, low24h, volume24hUsd } = day
  return tickerDocument.rowOf({ key, time, source }, { change24hPct, high24h, low24h, volume24hUsd })
}

const days = (
  spot: BinanceSpot["Service"],
  listed: Effect.Effect<ReadonlyArray<Listed>, SourceUnavailable>
): DocumentsCollector => ({
  _tag: "documents",
  source,
  name: "tickers",
  kind: tickerDocument.kind,
  everyMs: 5 * minuteMs,
  offsetMs: 10_000,
  ask: Effect.gen(function*() {
    const coins = yield* listed
    if (coins.length === 0) return { documents: [], faults: [] }
    const { value } = yield* spot.tickers(coins)
    return { documents: value.map(dayOf), faults: [] }
  })
})

type Subjects = Effect.Effect<ReadonlyArray<Subject>, SourceUnavailable>

/** What is collected of Binance's spot market: candles, what minutes ended with, facts, and the last 24 hours. */
export const binanceSpotCollectors = (
  spot: BinanceSpot["Service"],
  coins: ReadonlyArray<TrackedCoin>,
  { candleDays, priceDays }: SpotDays
): ReadonlyArray<Collector> => {
  const listed = listedOn(spot, coins)
  const subjects = Effect.map(listed, (all) => all.map(({ coin, listedAt }) => ({ subject: coin, from: listedAt })))
  return [candles(spot, subjects, candleDays), prices(spot, subjects, priceDays), facts(listed), days(spot, listed)]
}
