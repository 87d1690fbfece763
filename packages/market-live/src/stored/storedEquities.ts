import {
  type Candle,
  dayMs,
  type EquityCountry,
  type IndexQuote,
  lastSession,
  localDay,
  previousSession,
  sessionOf,
  type SourceUnavailable,
  type StockQuote,
  StoredEquities,
  weekMs
} from "@tapeline/core/market"
import { type DocumentRow, MarketStore, pointsKinds, type Values } from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import { asked, both, readingOf } from "./asking.ts"
import { indexDocument, indexKey, stockDocument, stockKey } from "./documents.ts"
import { noneRecorded, unknownStock } from "./facts.ts"

type Store = MarketStore["Service"]
type Service = StoredEquities["Service"]

const { equityDays, equityPrices } = pointsKinds

/** The maximum age of a last trade, because exchanges close for days during holidays. */
const restsMs = 2 * weekMs

interface StoredStock {
  readonly symbol: string
  readonly key: string
  readonly delistedAt: number | null
  readonly quote: StockQuote | null
  readonly source: string
}

const stockOf = (row: DocumentRow, country: EquityCountry): Effect.Effect<StoredStock, SourceUnavailable> =>
  Effect.map(stockDocument.valueOf(row), ({ delistedAt, exchange, name, quote, sector }) => {
    const symbol = row.key.slice(stockKey(country, "").length)
    const told = quote === null ? null : { symbol, name, exchange, sector, ...quote }
    return { symbol, key: row.key, delistedAt, quote: told, source: row.source }
  })

/** Every stock of a country that was ever listed, by symbol. */
const stocksOf = Effect.fnUntraced(function*(
  store: Store,
  country: EquityCountry
): Effect.fn.Return<ReadonlyArray<StoredStock>, SourceUnavailable> {
  const rows = yield* asked(store.documents({ kind: stockDocument.kind }))
  const own = [...rows.values()].filter(({ key }) => key.startsWith(stockKey(country, "")))
  const all = yield* Effect.forEach(own, (row) => stockOf(row, country))
  return all.sort((a, b) => a.symbol < b.symbol ? -1 : 1)
})

const tradesAt = ({ delistedAt }: StoredStock, time: number): boolean => delistedAt === null || time < delistedAt

/** The newest time in a quote. */
const quotedAt = ({ extended, time }: StockQuote): number => extended?.time ?? time

const newest = (times: ReadonlyArray<number>, now: number): number => times.length === 0 ? now : Math.max(...times)

const quotesOf = (store: Store): Service["quotes"] =>
  Effect.fnUntraced(function*(country) {
    const now = yield* Clock.currentTimeMillis
    const found = (yield* stocksOf(store, country)).flatMap((stock) =>
      stock.quote !== null && tradesAt(stock, now) && quotedAt(stock.quote) <= now
        ? [{ quote: stock.quote, source: stock.source }]
        : []
    )
    return readingOf(
      found.map(({ quote }) => quote).sort((a, b) => (b.turnover ?? -1) - (a.turnover ?? -1)),
      found.map(({ source }) => source),
      newest(found.map(({ quote }) => quotedAt(quote)), now)
    )
  })

const indexQuotesOf = (store: Store): Service["indexQuotes"] =>
  Effect.fnUntraced(function*(country) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* asked(store.documents({ kind: indexDocument.kind }))
    const own = [...rows.values()].filter(({ key }) => key.startsWith(indexKey("")))
    const all = yield* Effect.forEach(own, (row) =>
      Effect.map(indexDocument.valueOf(row), ({ quote, ...facts }) => {
        const index = row.key.slice(indexKey("").length)
        const told: IndexQuote | null = quote === null ? null : { index, ...facts, ...quote }
        return { told, source: row.source }
      }))
    const found = all.flatMap(({ source, told }) =>
      told !== null && told.country === country && told.time <= now ? [{ told, source }] : []
    )
    return readingOf(
      found.map(({ told }) => told),
      found.map(({ source }) => source),
      newest(found.map(({ told }) => told.time), now)
    )
  })

type Bar = Values<"open" | "high" | "low" | "close" | "volume" | "quoteVolume"> & { readonly time: number }

/** Makes one candle; none if a price is unknown. An index has no volume. */
const candleOf = ({ close, high, low, open, quoteVolume, time, volume }: Bar, closed: boolean): ReadonlyArray<Candle> =>
  open === null || high === null || low === null || close === null
    ? []
    : [{
      time,
      open,
      high,
      low,
      close,
      volume: volume ?? 0,
      quoteVolume: quoteVolume ?? 0,
      takerBuyVolume: null,
      closed
    }]

const indexHistoryOf = (store: Store): Service["indexHistory"] =>
  Effect.fnUntraced(function*({ bars, index, until }) {
    const now = yield* Clock.currentTimeMillis
    const seen = Math.min(until ?? now, now)
    const key = indexKey(index)
    const [documents, all] = yield* both(
      asked(store.documents({ kind: indexDocument.kind, keys: [key] })),
      asked(store.points({ kind: equityDays, subjects: [key], from: 0, to: seen + 1, last: bars }))
    )
    const document = documents.get(key)
    if (document === undefined) return yield* unknownStock(store, index, "history")
    const { country, quote } = yield* indexDocument.valueOf(document)
    const told = (all.get(key)?.points ?? []).flatMap((row) => {
      const endAt = row.closedAt ?? sessionOf(country, localDay(country, row.time))?.closeAt ?? row.time + dayMs
      // For a time in the past, a session that was running then is omitted, because only its final values are known.
      return endAt <= seen || seen === now ? [{ row, endAt, candles: candleOf(row, endAt <= seen) }] : []
    })
    const candles = told.flatMap((one) => one.candles)
    const last = told.findLast((one) => one.candles.length > 0)
    if (last === undefined) return yield* noneRecorded(index, "history")
    const asOf = last.endAt <= seen ? last.endAt : Math.min(seen, Math.max(quote?.time ?? 0, last.row.time + 1))
    return readingOf(candles, told.map(({ row }) => row.source), asOf)
  })

const pricesAtOf = (store: Store): Service["pricesAt"] =>
  Effect.fnUntraced(function*({ country, time }) {
    const now = yield* Clock.currentTimeMillis
    const at = Math.min(time, now)
    const [stocks, all] = yield* both(
      stocksOf(store, country),
      asked(store.latest({ kind: equityPrices, at, withinMs: restsMs }))
    )
    const found = stocks.flatMap((stock) => {
      const point = all.get(stock.key)?.point ?? null
      return point === null || point.price === null || !tradesAt(stock, at)
        ? []
        : [{ source: point.source, told: { symbol: stock.symbol, time: point.time, price: point.price } }]
    })
    return readingOf(
      found.map(({ told }) => told),
      found.map(({ source }) => source),
      newest(found.map(({ told }) => told.time), now)
    )
  })

const closesOf = (store: Store): Service["closes"] =>
  Effect.fnUntraced(function*({ country, until }) {
    const now = yield* Clock.currentTimeMillis
    const end = Math.min(until ?? now, now)
    const running = lastSession(country, end)
    const { closeAt, openAt } = running.closeAt <= end ? running : previousSession(country, running.day)
    const [stocks, all] = yield* both(
      stocksOf(store, country),
      asked(store.points({ kind: equityDays, from: openAt, to: openAt + 1 }))
    )
    const found = stocks.flatMap((stock) => {
      const row = all.get(stock.key)?.points[0]
      return row === undefined || row.close === null || !tradesAt(stock, openAt) ? [] : [{
        source: row.source,
        told: { symbol: stock.symbol, time: closeAt, close: row.close, previousClose: row.previousClose }
      }]
    })
    return readingOf(
      found.map(({ told }) => told),
      found.map(({ source }) => source),
      newest(found.map(({ told }) => told.time), now)
    )
  })

/** `StoredEquities` over the service's own store: daily bars by opening time, sampled prices, quotes. */
export const storedStoredEquities: Layer.Layer<StoredEquities, never, MarketStore> = Layer.effect(
  StoredEquities,
  Effect.map(MarketStore, (store) => ({
    quotes: quotesOf(store),
    indexQuotes: indexQuotesOf(store),
    indexHistory: indexHistoryOf(store),
    pricesAt: pricesAtOf(store),
    closes: closesOf(store)
  }))
)
