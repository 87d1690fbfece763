import {
  dayMs,
  ExchangeRates,
  hourMs,
  ImpliedVolatilities,
  KoreanCoinMarkets,
  type KrwListing,
  type KrwTicker,
  valueOf
} from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { krwListingDocument, krwListingKey, krwMarketKey } from "../../src/stored/documents.ts"
import { volatilityKey } from "../../src/stored/impliedVolatilities.ts"
import { coveringOf, fineMs, isIn, sourceName, standing, type Writing } from "./collecting.ts"

/** Writes the known listings of new markets. */
const writeListings = Effect.fnUntraced(function*({ collection: { now }, fence, store }: Writing) {
  const markets = yield* KoreanCoinMarkets
  const interval = { from: now - 130 * dayMs, to: now + 1 }
  const changed = [
    ...(yield* valueOf(markets.listings(interval))),
    ...(yield* valueOf(markets.delistings(interval)))
  ]
  const open = (yield* valueOf(markets.tickers)).flatMap(({ coin, exchange, listedAt }): ReadonlyArray<KrwListing> =>
    listedAt === null ? [] : [{ coin, exchange, listedAt, delistedAt: null }]
  )
  const listings = new Map([...open, ...changed].map((listing) => [krwListingKey(listing), listing]))
  const documents = Array.from(
    listings,
    ([key, listing]) => krwListingDocument.rowOf({ key, time: now, source: sourceName }, listing)
  )
  yield* store.writeDocuments({ kind: krwListingDocument.kind, fence, documents })
}, Effect.orDie)

/** Writes one market's prices of some days, and the exchange's current 24-hour figures. */
const writeMarket = Effect.fnUntraced(function*({ collection, fence, store }: Writing, ticker: KrwTicker) {
  const { bare, coins, lost, now, until } = collection
  const { coin, exchange } = ticker
  const day = Math.floor(now / dayMs) * dayMs
  // Other coins get only the prices that a list of all coins reads.
  const interval = coins.includes(coin) ? { from: day - 3 * dayMs, to: until } : { from: now - hourMs, to: now + 1 }
  const { points } = yield* valueOf(
    (yield* KoreanCoinMarkets).history({ coin, exchange, stepMs: fineMs, ...interval })
  )
  const rows = points.filter(({ time }) => !isIn(lost, time)).map(({ krwPrice, time, usdtPrice }) => ({
    time,
    krwPrice,
    usdtPrice: bare.includes(coin) ? null : usdtPrice,
    change24hPct: time === ticker.time ? ticker.change24hPct : null,
    volume24hKrw: time === ticker.time ? ticker.volume24hKrw : null
  }))
  const series = [{ subject: krwMarketKey(exchange, coin), source: sourceName, rows, ...coveringOf(interval, lost) }]
  yield* store.writePoints({ kind: pointsKinds.krwMarkets, fence, series })
}, Effect.orDie)

const writeRates = Effect.fnUntraced(function*({ collection, fence, store }: Writing) {
  const { lost, now, until } = collection
  const interval = { from: now - 10 * dayMs, to: until }
  for (const pair of ["usd_krw", "usdt_krw"] as const) {
    const { points } = yield* valueOf((yield* ExchangeRates).history({ pair, stepMs: fineMs, ...interval }))
    const quoted = new Map(points.map(({ quotedAt, rate }) => [quotedAt, { time: quotedAt, rate }]))
    const rows = [...quoted.values()].filter(({ time }) => !isIn(lost, time))
    const series = [{ subject: pair, source: sourceName, rows, ...coveringOf(interval, lost) }]
    yield* store.writePoints({ kind: pointsKinds.fxRates, fence, series })
  }
}, Effect.orDie)

const writeVolatilities = Effect.fnUntraced(function*({ collection: { now }, fence, store }: Writing) {
  for (const maturityDays of [30, 60]) {
    const query = { coin: "BTC", maturityDays, days: 31 }
    const { method, points } = yield* valueOf((yield* ImpliedVolatilities).history(query))
    const covers = [{ from: points[0]!.time, to: now }]
    const series = [{ subject: volatilityKey("BTC", method, maturityDays), source: sourceName, rows: points, covers }]
    yield* store.writePoints({ kind: pointsKinds.impliedVolatilities, fence, series })
  }
}, Effect.orDie)

/** Writes KRW markets, exchange rates and volatilities. */
export const writeKorea = Effect.fnUntraced(function*(writing: Writing) {
  const { now } = writing.collection
  yield* standing(now, writeListings(writing))
  const tickers = yield* standing(now, valueOf((yield* KoreanCoinMarkets).tickers))
  for (const ticker of tickers) yield* writeMarket(writing, ticker)
  yield* writeRates(writing)
  yield* standing(now, writeVolatilities(writing))
})
