import {
  type Coin,
  dayMs,
  KoreanCoinMarkets,
  type KrwListing,
  type KrwPoint,
  type KrwTicker,
  NoData,
  type Reading,
  type SourceUnavailable,
  UnknownSymbol
} from "@tapeline/core/market"
import { MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import { beforeListingError, noDataError, noneRecordedError, readCoins } from "./coins.ts"
import { krwListingDocument, krwMarketKey, krwTickerDocument } from "./documents.ts"
import { maxRecordDelayMs, splitGaps } from "./gaps.ts"
import {
  krwExchanges,
  type KrwMarketNow,
  mainMarketKey,
  readKrwMarketsNow,
  readKrwPricesDayAgo
} from "./krwMarketsNow.ts"
import { maxPresentAgeMs } from "./presentDocuments.ts"
import { readRateHistory } from "./rateHistory.ts"
import { inParallel, makeStoredReading, withReadErrors } from "./storeReads.ts"

type Store = MarketStore["Service"]
type Service = KoreanCoinMarkets["Service"]

const kind = pointsKinds.krwMarkets

/**
 * The maximum age of a closed market's last price. The history of a market with an older last price is not available.
 */
const closedMarketLookbackMs = 400 * dayMs

type StoredListing = KrwListing & { readonly source: string; readonly fetchedAt: number }

const readListings = Effect.fnUntraced(function*(
  store: Store
): Effect.fn.Return<ReadonlyArray<StoredListing>, SourceUnavailable> {
  const now = yield* Clock.currentTimeMillis
  const rows = yield* withReadErrors(store.documents({ kind: krwListingDocument.kind }))
  const all = yield* Effect.forEach(
    rows.values(),
    (row) =>
      Effect.map(krwListingDocument.decodeRow(row), (listing): StoredListing => ({
        ...listing,
        delistedAt: listing.delistedAt !== null && listing.delistedAt <= now ? listing.delistedAt : null,
        source: row.source,
        fetchedAt: Math.min(row.time, now)
      }))
  )
  return all.filter(({ listedAt }) => listedAt <= now).sort((a, b) => a.listedAt - b.listedAt)
})

const latestOpenings = (listings: ReadonlyArray<StoredListing>): ReadonlyMap<string, StoredListing> =>
  new Map(listings.map((listing) => [krwMarketKey(listing.exchange, listing.coin), listing]))

/**
 * Converts a market's data to a ticker. Returns undefined for a record without a volume, because only backfilled
 * records have no volume.
 */
const toTicker = (
  key: string,
  { change24hPct, krwPrice, time, usdtPrice, volume24hKrw }: KrwMarketNow,
  listedAt: number | null,
  dayAgo: number | undefined
): KrwTicker | undefined => {
  const exchange = krwExchanges.find((one) => key.startsWith(`${one}:`))
  if (exchange === undefined || volume24hKrw === null) return undefined
  const isNew = listedAt !== null && time - listedAt < dayMs
  const change = change24hPct ?? (dayAgo === undefined ? null : 100 * (krwPrice / dayAgo - 1))
  return {
    time,
    coin: key.slice(exchange.length + 1),
    exchange,
    krwPrice,
    usdtPrice,
    change24hPct: isNew ? null : change,
    volume24hKrw,
    listedAt
  }
}

const makeTickersRead = (store: Store): Service["tickers"] =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const [listings, [all, dayAgo]] = yield* inParallel(
      readListings(store),
      inParallel(readKrwMarketsNow(store, now, maxPresentAgeMs), readKrwPricesDayAgo(store, now))
    )
    const openings = latestOpenings(listings)
    const found = [...all].flatMap(([key, marketNow]) => {
      const opening = openings.get(key)
      if (typeof opening?.delistedAt === "number") return []
      const ticker = toTicker(key, marketNow, opening?.listedAt ?? null, dayAgo.get(key))
      return ticker === undefined ? [] : [{ ticker, source: marketNow.source }]
    })
    return makeStoredReading(
      found.map(({ ticker }) => ticker).sort((a, b) => b.volume24hKrw - a.volume24hKrw),
      found.map(({ source }) => source),
      found.length === 0 ? now : Math.max(...found.map(({ ticker }) => ticker.time))
    )
  })

const marketLife = (coin: string, facts: Coin | undefined, opening: StoredListing | undefined) => ({
  coin,
  listedAt: opening?.listedAt ?? facts?.listedAt ?? -Infinity,
  delistedAt: opening?.delistedAt ?? null
})

const makeHistoryRead = (store: Store): Service["history"] =>
  Effect.fnUntraced(function*({ coin: name, exchange, ...query }) {
    const now = yield* Clock.currentTimeMillis
    const exchanges = exchange === undefined ? krwExchanges : [exchange]
    const keys = exchanges.map((one) => krwMarketKey(one, name))
    const interval = { from: query.from, to: Math.max(query.from, Math.min(query.to, now + 1)) }
    const [[coins, listings], [[all, newest], [usdt, usd]]] = yield* inParallel(
      inParallel(readCoins(store, [name]), readListings(store)),
      inParallel(
        inParallel(
          withReadErrors(store.points({ kind, subjects: keys, everyMs: query.stepMs, ...interval })),
          readKrwMarketsNow(store, now, closedMarketLookbackMs, keys)
        ),
        inParallel(readRateHistory(store, "usdt_krw", interval, now), readRateHistory(store, "usd_krw", interval, now))
      )
    )
    const openings = latestOpenings(listings)
    const key = mainMarketKey(newest, (one) => typeof openings.get(one)?.delistedAt === "number", now)
    const read = key === undefined ? undefined : all.get(key)
    const facts = coins.get(name)
    if (key === undefined || read === undefined) {
      // If an exchange has never provided data, its list of coins is unknown.
      const reportedExchanges = new Set(listings.map((listing) => listing.exchange))
      if (!exchanges.some((one) => reportedExchanges.has(one))) {
        return yield* noneRecordedError(name, "KRW market")
      }
      if (facts === undefined && !keys.some((one) => openings.has(one))) {
        return yield* new UnknownSymbol({ symbol: name })
      }
      if (facts !== undefined && facts.listedAt > now) return yield* beforeListingError(facts)
      const reason = { key: "none_on_krw_market", params: { coin: name } } as const
      return yield* new NoData({ subject: `${name} KRW market`, reason })
    }
    const life = marketLife(name, facts, openings.get(key))
    const rateValueAt = ({ rateAt, gaps }: typeof usdt, time: number): number | null =>
      gaps.some(({ from, to }) => from <= time && time < to) ? null : rateAt(time)?.rate ?? null
    const points = read.points.flatMap(({ krwPrice, time, usdtPrice }): ReadonlyArray<KrwPoint> =>
      krwPrice === null || time < life.listedAt
        ? []
        : [{ time, krwPrice, usdtPrice, usdtKrw: rateValueAt(usdt, time), usdKrw: rateValueAt(usd, time) }]
    )
    const last = points.at(-1)
    if (last === undefined) return yield* noDataError(life, "KRW market", query)
    const { gaps } = splitGaps(read.gaps, interval, life, now, maxRecordDelayMs)
    const sources = [
      ...read.points.map(({ source }) => source),
      ...points.flatMap(({ time }) => [usdt.rateAt(time)?.source ?? [], usd.rateAt(time)?.source ?? []].flat())
    ]
    return makeStoredReading({ points, gaps }, sources, last.time)
  })

const toListingsReading = (listings: ReadonlyArray<StoredListing>, now: number): Reading<ReadonlyArray<KrwListing>> =>
  makeStoredReading(
    listings.map(({ source: _, fetchedAt: __, ...listing }) => listing),
    listings.map(({ source }) => source),
    listings.length === 0 ? now : Math.max(...listings.map(({ delistedAt, listedAt }) => delistedAt ?? listedAt))
  )

/** Returns whether any listings, tickers or prices of won markets were ever collected. */
export const hasKrwMarketData = (store: Store): Effect.Effect<boolean, SourceUnavailable> =>
  Effect.map(
    Effect.all([
      withReadErrors(store.documents({ kind: krwListingDocument.kind })),
      withReadErrors(store.documents({ kind: krwTickerDocument.kind })),
      withReadErrors(store.records({ kind }))
    ], { concurrency: "unbounded" }),
    (all) => all.some(({ size }) => size > 0)
  )

/** Implements `KoreanCoinMarkets` with data from the market store. */
export const storedKoreanCoinMarkets: Layer.Layer<KoreanCoinMarkets, never, MarketStore> = Layer.effect(
  KoreanCoinMarkets,
  Effect.map(MarketStore, (store) => {
    const selectListings = (isOf: (listing: StoredListing) => boolean) =>
      Effect.zipWith(
        Clock.currentTimeMillis,
        readListings(store),
        (now, listings) => [now, listings.filter(isOf)] as const
      )
    return {
      tickers: makeTickersRead(store),
      history: makeHistoryRead(store),
      listings: ({ from, to }) =>
        Effect.map(
          selectListings(({ listedAt }) => from <= listedAt && listedAt < to),
          ([now, listings]) => toListingsReading(listings, now)
        ),
      delistings: ({ from, to }) =>
        Effect.map(
          selectListings(({ delistedAt }) => delistedAt !== null && from <= delistedAt && delistedAt < to),
          ([now, listings]) =>
            toListingsReading(listings.toSorted((a, b) => (a.delistedAt ?? 0) - (b.delistedAt ?? 0)), now)
        )
    }
  })
)
