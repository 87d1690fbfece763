import {
  dayMs,
  KoreanCoinMarkets,
  type KrwExchange,
  type KrwListing,
  type KrwPoint,
  type KrwTicker,
  NoData,
  type Reading,
  type SourceUnavailable
} from "@tapeline/core/market"
import { MarketStore, type Point, pointsKinds } from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import { asked, both, readingOf } from "./asking.ts"
import { krwListingDocument, krwMarketKey } from "./documents.ts"
import { listedCoin, nothingOf } from "./facts.ts"
import { lacking, recordAwaitedMs } from "./gaps.ts"
import { presentMs } from "./present.ts"
import { heldRates } from "./rates.ts"

type Store = MarketStore["Service"]
type Service = KoreanCoinMarkets["Service"]
type Row = Point<keyof typeof kind.columns>

const kind = pointsKinds.krwMarkets
const exchanges: ReadonlyArray<KrwExchange> = ["upbit", "bithumb"]

/** How long ago a market that has closed may have told its last price, to be the one that is asked for. */
const closedWithinMs = 400 * dayMs

type StoredListing = KrwListing & { readonly source: string; readonly toldAt: number }

/** Every market that was opened, as it is known now: that it will close is not. */
const listingsNow = Effect.fnUntraced(function*(
  store: Store
): Effect.fn.Return<ReadonlyArray<StoredListing>, SourceUnavailable> {
  const now = yield* Clock.currentTimeMillis
  const rows = yield* asked(store.documents({ kind: krwListingDocument.kind }))
  const all = yield* Effect.forEach(
    rows.values(),
    (row) =>
      Effect.map(krwListingDocument.valueOf(row), (listing): StoredListing => ({
        ...listing,
        delistedAt: listing.delistedAt !== null && listing.delistedAt <= now ? listing.delistedAt : null,
        source: row.source,
        toldAt: Math.min(row.time, now)
      }))
  )
  return all.filter(({ listedAt }) => listedAt <= now).sort((a, b) => a.listedAt - b.listedAt)
})

/** The last opening of each market, by its key. */
const lastOpenings = (listings: ReadonlyArray<StoredListing>): ReadonlyMap<string, StoredListing> =>
  new Map(listings.map((listing) => [krwMarketKey(listing.exchange, listing.coin), listing]))

const tickerOf = (coin: string, exchange: KrwExchange, row: Row, listedAt: number | null): KrwTicker | undefined => {
  const { change24hPct, krwPrice, time, usdtPrice, volume24hKrw } = row
  if (krwPrice === null || volume24hKrw === null) return undefined
  const young = listedAt !== null && time - listedAt < dayMs
  return {
    time,
    coin,
    exchange,
    krwPrice,
    usdtPrice,
    change24hPct: young ? null : change24hPct,
    volume24hKrw,
    listedAt
  }
}

const tickersOf = (store: Store): Service["tickers"] =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const [listings, all] = yield* both(
      listingsNow(store),
      asked(store.latest({ kind, at: now, withinMs: presentMs }))
    )
    const openings = lastOpenings(listings)
    const found = [...all].flatMap(([key, { point }]) => {
      const exchange = exchanges.find((one) => key.startsWith(`${one}:`))
      const opening = openings.get(key)
      if (exchange === undefined || point === null || typeof opening?.delistedAt === "number") return []
      const ticker = tickerOf(key.slice(exchange.length + 1), exchange, point, opening?.listedAt ?? null)
      return ticker === undefined ? [] : [{ ticker, source: point.source }]
    })
    return readingOf(
      found.map(({ ticker }) => ticker).sort((a, b) => b.volume24hKrw - a.volume24hKrw),
      found.map(({ source }) => source),
      found.length === 0 ? now : Math.max(...found.map(({ ticker }) => ticker.time))
    )
  })

/** Where a coin trades most now, or did last. */
const mainMarket = (
  newest: ReadonlyMap<string, { readonly point: Row | null }>,
  keys: ReadonlyArray<string>,
  openings: ReadonlyMap<string, StoredListing>,
  now: number
): string | undefined => {
  const known = keys.flatMap((key) => {
    const point = newest.get(key)?.point ?? null
    return point === null ? [] : [{ key, point }]
  })
  const open = known.filter(({ key, point }) =>
    point.time > now - presentMs && typeof openings.get(key)?.delistedAt !== "number"
  )
  const [most] = open.length > 0
    ? open.sort((a, b) => (b.point.volume24hKrw ?? -1) - (a.point.volume24hKrw ?? -1))
    : known.sort((a, b) => b.point.time - a.point.time)
  return most?.key
}

const historyOf = (store: Store): Service["history"] =>
  Effect.fnUntraced(function*({ coin: name, exchange, ...query }) {
    const at = yield* Clock.currentTimeMillis
    const keys = (exchange === undefined ? exchanges : [exchange]).map((one) => krwMarketKey(one, name))
    const interval = { from: query.from, to: Math.max(query.from, Math.min(query.to, at + 1)) }
    const [[{ coin, now }, listings], [[all, newest], [usdt, usd]]] = yield* both(
      both(listedCoin(store, name), listingsNow(store)),
      both(
        both(
          asked(store.points({ kind, subjects: keys, everyMs: query.stepMs, ...interval })),
          asked(store.latest({ kind, subjects: keys, at, withinMs: closedWithinMs }))
        ),
        both(heldRates(store, "usdt_krw", interval, at), heldRates(store, "usd_krw", interval, at))
      )
    )
    const openings = lastOpenings(listings)
    const key = mainMarket(newest, keys, openings, now)
    const read = key === undefined ? undefined : all.get(key)
    if (key === undefined || read === undefined) {
      const reason = { key: "none_on_krw_market", params: { coin: name } } as const
      return yield* new NoData({ subject: `${name} KRW market`, reason })
    }
    const opening = openings.get(key)
    const life = { listedAt: opening?.listedAt ?? coin.listedAt, delistedAt: opening?.delistedAt ?? null }
    const heldAt = ({ at: rateAt, gaps }: typeof usdt, time: number): number | null =>
      gaps.some(({ from, to }) => from <= time && time < to) ? null : rateAt(time)?.rate ?? null
    const points = read.points.flatMap(({ krwPrice, time, usdtPrice }): ReadonlyArray<KrwPoint> =>
      krwPrice === null
        ? []
        : [{ time, krwPrice, usdtPrice, usdtKrw: heldAt(usdt, time), usdKrw: heldAt(usd, time) }]
    )
    const last = points.at(-1)
    if (last === undefined) return yield* nothingOf(coin, "KRW market", query)
    const { gaps } = lacking(read.gaps, interval, life, now, recordAwaitedMs)
    const sources = [
      ...read.points.map(({ source }) => source),
      ...points.flatMap(({ time }) => [usdt.at(time)?.source ?? [], usd.at(time)?.source ?? []].flat())
    ]
    return readingOf({ points, gaps }, sources, last.time)
  })

/** Listings in the port's form, as new as the last of them opened or closed. */
const changesOf = (listings: ReadonlyArray<StoredListing>, now: number): Reading<ReadonlyArray<KrwListing>> =>
  readingOf(
    listings.map(({ source: _, toldAt: __, ...listing }) => listing),
    listings.map(({ source }) => source),
    listings.length === 0 ? now : Math.max(...listings.map(({ delistedAt, listedAt }) => delistedAt ?? listedAt))
  )

/** `KoreanCoinMarkets` out of the service's own store. */
export const storedKoreanCoinMarkets: Layer.Layer<KoreanCoinMarkets, never, MarketStore> = Layer.effect(
  KoreanCoinMarkets,
  Effect.map(MarketStore, (store) => {
    const those = (isOf: (listing: StoredListing) => boolean) =>
      Effect.zipWith(
        Clock.currentTimeMillis,
        listingsNow(store),
        (now, listings) => [now, listings.filter(isOf)] as const
      )
    return {
      tickers: tickersOf(store),
      history: historyOf(store),
      listings: ({ from, to }) =>
        Effect.map(
          those(({ listedAt }) => from <= listedAt && listedAt < to),
          ([now, listings]) => changesOf(listings, now)
        ),
      delistings: ({ from, to }) =>
        Effect.map(
          those(({ delistedAt }) => delistedAt !== null && from <= delistedAt && delistedAt < to),
          ([now, listings]) => changesOf(listings.toSorted((a, b) => (a.delistedAt ?? 0) - (b.delistedAt ?? 0)), now)
        )
    }
  })
)
