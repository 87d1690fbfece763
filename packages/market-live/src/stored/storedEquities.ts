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
import { failUnknownStock, noneRecordedError } from "./coins.ts"
import { indexDocument, indexKey, stockDocument, stockKey } from "./documents.ts"
import { inParallel, makeStoredReading, withReadErrors } from "./storeReads.ts"

type Store = MarketStore["Service"]
type Service = StoredEquities["Service"]

const { equityDays, equityPrices } = pointsKinds

/** The maximum age of a stock's last trade. Stock exchanges close for several days during holidays. */
const maxTradeAgeMs = 2 * weekMs

interface StoredStock {
  readonly symbol: string
  readonly key: string
  readonly delistedAt: number | null
  readonly quote: StockQuote | null
  readonly source: string
}

const toStoredStock = (row: DocumentRow, country: EquityCountry): Effect.Effect<StoredStock, SourceUnavailable> =>
  Effect.map(stockDocument.decodeRow(row), ({ delistedAt, exchange, name, quote, sector }) => {
    const symbol = row.key.slice(stockKey(country, "").length)
    const storedQuote = quote === null ? null : { symbol, name, exchange, sector, ...quote }
    return { symbol, key: row.key, delistedAt, quote: storedQuote, source: row.source }
  })

const readStocks = Effect.fnUntraced(function*(
  store: Store,
  country: EquityCountry
): Effect.fn.Return<ReadonlyArray<StoredStock>, SourceUnavailable> {
  const rows = yield* withReadErrors(store.documents({ kind: stockDocument.kind }))
  const own = [...rows.values()].filter(({ key }) => key.startsWith(stockKey(country, "")))
  const all = yield* Effect.forEach(own, (row) => toStoredStock(row, country))
  return all.sort((a, b) => a.symbol < b.symbol ? -1 : 1)
})

const isListedAt = ({ delistedAt }: StoredStock, time: number): boolean => delistedAt === null || time < delistedAt

const quoteTimeOf = ({ extended, time }: StockQuote): number => extended?.time ?? time

const newestTime = (times: ReadonlyArray<number>, now: number): number => times.length === 0 ? now : Math.max(...times)

const makeQuotesRead = (store: Store): Service["quotes"] =>
  Effect.fnUntraced(function*(country) {
    const now = yield* Clock.currentTimeMillis
    const found = (yield* readStocks(store, country)).flatMap((stock) =>
      stock.quote !== null && isListedAt(stock, now) && quoteTimeOf(stock.quote) <= now
        ? [{ quote: stock.quote, source: stock.source }]
        : []
    )
    return makeStoredReading(
      found.map(({ quote }) => quote).sort((a, b) => (b.turnover ?? -1) - (a.turnover ?? -1)),
      found.map(({ source }) => source),
      newestTime(found.map(({ quote }) => quoteTimeOf(quote)), now)
    )
  })

const makeIndexQuotesRead = (store: Store): Service["indexQuotes"] =>
  Effect.fnUntraced(function*(country) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* withReadErrors(store.documents({ kind: indexDocument.kind }))
    const own = [...rows.values()].filter(({ key }) => key.startsWith(indexKey("")))
    const all = yield* Effect.forEach(own, (row) =>
      Effect.map(indexDocument.decodeRow(row), ({ quote, ...facts }) => {
        const index = row.key.slice(indexKey("").length)
        const indexQuote: IndexQuote | null = quote === null ? null : { index, ...facts, ...quote }
        return { indexQuote, source: row.source }
      }))
    const found = all.flatMap(({ indexQuote, source }) =>
      indexQuote !== null && indexQuote.country === country && indexQuote.time <= now ? [{ indexQuote, source }] : []
    )
    return makeStoredReading(
      found.map(({ indexQuote }) => indexQuote),
      found.map(({ source }) => source),
      newestTime(found.map(({ indexQuote }) => indexQuote.time), now)
    )
  })

type Bar = Values<"open" | "high" | "low" | "close" | "volume" | "quoteVolume"> & { readonly time: number }

const toCandle = ({ close, high, low, open, quoteVolume, time, volume }: Bar, closed: boolean): ReadonlyArray<Candle> =>
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

const makeIndexHistoryRead = (store: Store): Service["indexHistory"] =>
  Effect.fnUntraced(function*({ bars, index, until }) {
    const now = yield* Clock.currentTimeMillis
    const knownAt = Math.min(until ?? now, now)
    const key = indexKey(index)
    const [documents, all] = yield* inParallel(
      withReadErrors(store.documents({ kind: indexDocument.kind, keys: [key] })),
      withReadErrors(store.points({ kind: equityDays, subjects: [key], from: 0, to: knownAt + 1, last: bars }))
    )
    const document = documents.get(key)
    if (document === undefined) return yield* failUnknownStock(store, index, "history")
    const { country, quote } = yield* indexDocument.decodeRow(document)
    const sessions = (all.get(key)?.points ?? []).flatMap((row) => {
      const endsAt = row.closedAt ?? sessionOf(country, localDay(country, row.time))?.closeAt ?? row.time + dayMs
      // For a time in the past, a session that was open then is omitted, because only its final values are known.
      return endsAt <= knownAt || knownAt === now
        ? [{ row, endsAt, candles: toCandle(row, endsAt <= knownAt) }]
        : []
    })
    const candles = sessions.flatMap((one) => one.candles)
    const last = sessions.findLast((one) => one.candles.length > 0)
    if (last === undefined) return yield* noneRecordedError(index, "history")
    const asOf = last.endsAt <= knownAt ? last.endsAt : Math.min(knownAt, Math.max(quote?.time ?? 0, last.row.time + 1))
    return makeStoredReading(candles, sessions.map(({ row }) => row.source), asOf)
  })

const makePricesAtRead = (store: Store): Service["pricesAt"] =>
  Effect.fnUntraced(function*({ country, time }) {
    const now = yield* Clock.currentTimeMillis
    const at = Math.min(time, now)
    const [stocks, all] = yield* inParallel(
      readStocks(store, country),
      withReadErrors(store.latest({ kind: equityPrices, at, withinMs: maxTradeAgeMs }))
    )
    const found = stocks.flatMap((stock) => {
      const point = all.get(stock.key)?.point ?? null
      return point === null || point.price === null || !isListedAt(stock, at)
        ? []
        : [{ source: point.source, trade: { symbol: stock.symbol, time: point.time, price: point.price } }]
    })
    return makeStoredReading(
      found.map(({ trade }) => trade),
      found.map(({ source }) => source),
      newestTime(found.map(({ trade }) => trade.time), now)
    )
  })

const makeClosesRead = (store: Store): Service["closes"] =>
  Effect.fnUntraced(function*({ country, until }) {
    const now = yield* Clock.currentTimeMillis
    const end = Math.min(until ?? now, now)
    const lastBegun = lastSession(country, end)
    const { closeAt, openAt } = lastBegun.closeAt <= end ? lastBegun : previousSession(country, lastBegun.day)
    const [stocks, all] = yield* inParallel(
      readStocks(store, country),
      withReadErrors(store.points({ kind: equityDays, from: openAt, to: openAt + 1 }))
    )
    const found = stocks.flatMap((stock) => {
      const row = all.get(stock.key)?.points[0]
      return row === undefined || row.close === null || !isListedAt(stock, openAt) ? [] : [{
        source: row.source,
        sessionClose: { symbol: stock.symbol, time: closeAt, close: row.close, previousClose: row.previousClose }
      }]
    })
    return makeStoredReading(
      found.map(({ sessionClose }) => sessionClose),
      found.map(({ source }) => source),
      newestTime(found.map(({ sessionClose }) => sessionClose.time), now)
    )
  })

/** Implements `StoredEquities` with data from the market store. */
export const storedEquities: Layer.Layer<StoredEquities, never, MarketStore> = Layer.effect(
  StoredEquities,
  Effect.map(MarketStore, (store) => ({
    quotes: makeQuotesRead(store),
    indexQuotes: makeIndexQuotesRead(store),
    indexHistory: makeIndexHistoryRead(store),
    pricesAt: makePricesAtRead(store),
    closes: makeClosesRead(store)
  }))
)
