import {
  dayMs,
  EquityMarkets,
  type IndexQuote,
  lastSession,
  minuteMs,
  previousSession,
  readValue,
  type StockPrice,
  StoredEquities
} from "@tapeline/core/market"
import { type PointRow, pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { indexDocument, indexKey, stockDocument, stockKey } from "../../src/stored/documents.ts"
import { sourceName, type WriteContext } from "./collecting.ts"

/** A trading hour of a stock that was delisted later. */
const tradedLongAgo = Date.parse("2022-10-27T19:00Z")

const quotedSymbols = { US: ["AAPL", "MSFT", "NVDA", "TSLA"], KR: ["005930", "000660", "035420"] } as const

const writeStocks = Effect.fnUntraced(function*({ collection: { now: time }, fence, store }: WriteContext) {
  for (const country of ["US", "KR"] as const) {
    const markets = yield* EquityMarkets
    // Quotes are written for only a few stocks, because each quote needs one year of prices.
    const quotes = new Map((yield* Effect.forEach(quotedSymbols[country], (symbol) => readValue(markets.quote(symbol))))
      .map((quote) => [quote.symbol, quote]))
    const documents = (yield* readValue(markets.stocks(country))).map(
      ({ delistedAt, exchange, listedAt, name, sector, symbol }) =>
        stockDocument.encodeRow({ key: stockKey(country, symbol), time, source: sourceName }, {
          name,
          exchange,
          sector,
          listedAt,
          delistedAt,
          quote: quotes.get(symbol) ?? null
        })
    )
    yield* store.writeDocuments({ kind: stockDocument.kind, fence, documents })
  }
}, Effect.orDie)

const writeIndex = Effect.fnUntraced(function*(
  { collection: { now: time }, fence, store }: WriteContext,
  { index, ...quote }: IndexQuote
) {
  const { country, name } = quote
  const key = indexKey(index)
  const document = indexDocument.encodeRow({ key, time, source: sourceName }, { name, country, quote })
  yield* store.writeDocuments({ kind: indexDocument.kind, fence, documents: [document] })
  const candles = yield* readValue((yield* StoredEquities).indexHistory({ index, bars: 12 }))
  const rows = candles.map(({ closed: _, takerBuyVolume: __, ...candle }) => ({
    ...candle,
    previousClose: null,
    closedAt: lastSession(country, candle.time).closeAt
  }))
  yield* store.writePoints({
    kind: pointsKinds.equityDays,
    fence,
    series: [{ subject: key, source: sourceName, rows }]
  })
}, Effect.orDie)

const writeCloses = Effect.fnUntraced(function*({ fence, store }: WriteContext, until: number) {
  let end = until
  for (let sessions = 0; sessions < 3; sessions++) {
    const closes = yield* readValue((yield* StoredEquities).closes({ country: "US", until: end }))
    const { openAt } = lastSession("US", closes[0]!.time - 1)
    const series = closes.map(({ close, previousClose, symbol, time }) => ({
      subject: stockKey("US", symbol),
      source: sourceName,
      rows: [{
        time: openAt,
        open: null,
        high: null,
        low: null,
        close,
        volume: null,
        quoteVolume: null,
        previousClose,
        closedAt: time
      }]
    }))
    yield* store.writePoints({ kind: pointsKinds.equityDays, fence, series })
    end = closes[0]!.time - 1
  }
}, Effect.orDie)

const writePrices = Effect.fnUntraced(function*({ fence, store }: WriteContext, instants: ReadonlyArray<number>) {
  const sampled: Array<StockPrice> = []
  for (const time of instants) {
    sampled.push(...yield* readValue((yield* StoredEquities).pricesAt({ country: "US", time })))
  }
  const series = Array.from(Map.groupBy(sampled, ({ symbol }) => symbol), ([symbol, prices]) => {
    const rows = new Map(prices.map(({ price, time }): [number, PointRow<"price" | "volume" | "turnover">] => [
      time,
      { time, price, volume: null, turnover: null }
    ]))
    return { subject: stockKey("US", symbol), source: sourceName, rows: [...rows.values()] }
  })
  yield* store.writePoints({ kind: pointsKinds.equityPrices, fence, series })
}, Effect.orDie)

export const writeEquities = Effect.fnUntraced(function*(writing: WriteContext) {
  const { now } = writing.collection
  yield* writeStocks(writing)
  for (const quote of yield* readValue((yield* StoredEquities).indexQuotes("US"))) yield* writeIndex(writing, quote)
  yield* writeCloses(writing, tradedLongAgo)
  yield* writeCloses(writing, now)
  const { day, openAt } = lastSession("US", now)
  const { closeAt } = previousSession("US", day)
  const today = Array.from(
    { length: Math.floor((now - openAt) / (5 * minuteMs)) + 1 },
    (_, i) => openAt + i * 5 * minuteMs
  )
  yield* writePrices(writing, [tradedLongAgo, closeAt - dayMs, closeAt, ...today])
})
