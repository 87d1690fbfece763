import { runAsOf } from "@tapeline/core"
import {
  dayMs,
  ExchangeRates,
  hourMs,
  ImpliedVolatilities,
  KoreanCoinMarkets,
  type KrwListing,
  type KrwTicker,
  readValue
} from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { krwListingDocument, krwListingKey, krwMarketKey } from "../../src/stored/documents.ts"
import { volatilityKey } from "../../src/stored/impliedVolatilities.ts"
import { coverageOf, fiveMinutesMs, isInGaps, sourceName, type WriteContext } from "./collecting.ts"

const writeListings = Effect.fnUntraced(function*({ collection: { now }, fence, store }: WriteContext) {
  const markets = yield* KoreanCoinMarkets
  const interval = { from: now - 130 * dayMs, to: now + 1 }
  const listingChanges = [
    ...(yield* readValue(markets.listings(interval))),
    ...(yield* readValue(markets.delistings(interval)))
  ]
  const openListings = (yield* readValue(markets.tickers)).flatMap((
    { coin, exchange, listedAt }
  ): ReadonlyArray<KrwListing> => listedAt === null ? [] : [{ coin, exchange, listedAt, delistedAt: null }])
  const listings = new Map([...openListings, ...listingChanges].map((listing) => [krwListingKey(listing), listing]))
  const documents = Array.from(
    listings,
    ([key, listing]) => krwListingDocument.encodeRow({ key, time: now, source: sourceName }, listing)
  )
  yield* store.writeDocuments({ kind: krwListingDocument.kind, fence, documents })
}, Effect.orDie)

const writeMarket = Effect.fnUntraced(function*({ collection, fence, store }: WriteContext, ticker: KrwTicker) {
  const { sparseCoins, coins, lost, now, until } = collection
  const { coin, exchange } = ticker
  const day = Math.floor(now / dayMs) * dayMs
  // For coins outside the collection, only the prices that a list of all coins needs are written.
  const interval = coins.includes(coin) ? { from: day - 3 * dayMs, to: until } : { from: now - hourMs, to: now + 1 }
  const { points } = yield* readValue(
    (yield* KoreanCoinMarkets).history({ coin, exchange, stepMs: fiveMinutesMs, ...interval })
  )
  const rows = points.filter(({ time }) => !isInGaps(lost, time)).map(({ krwPrice, time, usdtPrice }) => ({
    time,
    krwPrice,
    usdtPrice: sparseCoins.includes(coin) ? null : usdtPrice,
    change24hPct: time === ticker.time ? ticker.change24hPct : null,
    volume24hKrw: time === ticker.time ? ticker.volume24hKrw : null
  }))
  const series = [{ subject: krwMarketKey(exchange, coin), source: sourceName, rows, ...coverageOf(interval, lost) }]
  yield* store.writePoints({ kind: pointsKinds.krwMarkets, fence, series })
}, Effect.orDie)

/** Writes the last hours of the markets that closed in the last day. */
const writeClosedMarkets = Effect.fnUntraced(function*({ collection: { now }, fence, store }: WriteContext) {
  const markets = yield* KoreanCoinMarkets
  for (const { coin, delistedAt, exchange } of yield* readValue(markets.delistings({ from: now - dayMs, to: now }))) {
    const interval = { from: delistedAt! - 12 * hourMs, to: delistedAt! }
    const { points } = yield* readValue(markets.history({ coin, exchange, stepMs: fiveMinutesMs, ...interval }))
    const rows = points.map(({ krwPrice, time, usdtPrice }) => ({
      time,
      krwPrice,
      usdtPrice,
      change24hPct: null,
      volume24hKrw: null
    }))
    const series = [{ subject: krwMarketKey(exchange, coin), source: sourceName, rows, covers: [interval] }]
    yield* store.writePoints({ kind: pointsKinds.krwMarkets, fence, series })
  }
}, Effect.orDie)

const writeRates = Effect.fnUntraced(function*({ collection, fence, store }: WriteContext) {
  const { lost, now, until } = collection
  const interval = { from: now - 10 * dayMs, to: until }
  for (const pair of ["usd_krw", "usdt_krw"] as const) {
    const { points } = yield* readValue((yield* ExchangeRates).history({ pair, stepMs: fiveMinutesMs, ...interval }))
    const quoted = new Map(points.map(({ quotedAt, rate }) => [quotedAt, { time: quotedAt, rate }]))
    const rows = [...quoted.values()].filter(({ time }) => !isInGaps(lost, time))
    const series = [{ subject: pair, source: sourceName, rows, ...coverageOf(interval, lost) }]
    yield* store.writePoints({ kind: pointsKinds.fxRates, fence, series })
  }
}, Effect.orDie)

const writeVolatilities = Effect.fnUntraced(function*({ collection: { now }, fence, store }: WriteContext) {
  for (const maturityDays of [30, 60]) {
    const query = { coin: "BTC", maturityDays, days: 31 }
    const { method, points } = yield* readValue((yield* ImpliedVolatilities).history(query))
    const covers = [{ from: points[0]!.time, to: now }]
    const series = [{ subject: volatilityKey("BTC", method, maturityDays), source: sourceName, rows: points, covers }]
    yield* store.writePoints({ kind: pointsKinds.impliedVolatilities, fence, series })
  }
}, Effect.orDie)

export const writeKorea = Effect.fnUntraced(function*(writing: WriteContext) {
  const { now } = writing.collection
  yield* runAsOf(writeListings(writing), now)
  const tickers = yield* runAsOf(readValue((yield* KoreanCoinMarkets).tickers), now)
  for (const ticker of tickers) yield* writeMarket(writing, ticker)
  yield* runAsOf(writeClosedMarkets(writing), now)
  yield* writeRates(writing)
  yield* runAsOf(writeVolatilities(writing), now)
})
