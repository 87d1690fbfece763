/** Option trades, page by page, newest first. */
import { type Interval, type OptionTrade, SourceUnavailable } from "@tapeline/core/market"
import { Clock, Effect, Schema } from "effect"
import { type Answer, InstantMs, Name, NonNegativeNumeric, PositiveNumeric, type Source } from "../../source/index.ts"
import { type DeribitBook, optionOf } from "./names.ts"
import { answerOf, isNamedLike, lackable, tidy } from "./rows.ts"

const TradeFields = Schema.Struct({
  trade_id: Name,
  instrument_name: Name,
  timestamp: InstantMs,
  direction: Schema.Literals(["buy", "sell"]),
  price: NonNegativeNumeric,
  amount: PositiveNumeric,
  index_price: PositiveNumeric,
  iv: lackable(NonNegativeNumeric)
})
type Row = typeof TradeFields.Type

/**
 * A page of trades. It includes trades of other coins under the same currency, because the page ends with the last of
 * all trades.
 */
const pageOf = ({ prefix }: DeribitBook) => {
  const isRead = ({ instrument_name: name }: Row) => !isNamedLike(prefix, name) || optionOf(name) !== null
  const Trade = TradeFields.check(Schema.makeFilter(isRead, { expected: "an option" }))
  return answerOf(Schema.Struct({ trades: Schema.Array(Trade), has_more: Schema.Boolean }))
}

/** Converts a row to core's trade; null for another coin, and for a trade without a volatility. */
const tradeOf = ({ inCoin, prefix }: DeribitBook, row: Row): OptionTrade | null => {
  const { amount, direction, index_price, instrument_name, iv, price, timestamp } = row
  const option = isNamedLike(prefix, instrument_name) ? optionOf(instrument_name) : null
  if (option === null || iv === undefined || iv === null || iv === 0) return null
  return {
    ...option,
    time: timestamp,
    instrument: instrument_name,
    side: direction,
    size: amount,
    premiumUsd: tidy(price * amount * (inCoin ? index_price : 1)),
    ivPct: iv,
    spot: index_price
  }
}

/** The book, the interval, and the number of newest trades to return. */
export type TradesQuery = { readonly book: DeribitBook; readonly limit: number } & Interval

const tooLong = (source: string, pages: number) =>
  new SourceUnavailable({
    source,
    failure: "malformed",
    reason: `its trades did not end within ${pages} pages`,
    retryable: true
  })

/**
 * Makes a reader that requests pages of `most` trades until there are enough. A page begins at the time at which the
 * page before it ended, because trades of the same time may be split between pages. Duplicates are removed.
 */
export const tradesReader = (source: Source, most: number) => {
  const schemas = new Map<string, ReturnType<typeof pageOf>>()
  const schemaOf = (book: DeribitBook) => {
    const schema = schemas.get(book.coin) ?? pageOf(book)
    schemas.set(book.coin, schema)
    return schema
  }

  const page = (book: DeribitBook, from: number, until: number, count: number) =>
    source.json({
      what: "option trades",
      path: "/api/v2/public/get_last_trades_by_currency_and_time",
      query: {
        currency: book.currency,
        kind: "option",
        start_timestamp: from,
        end_timestamp: until,
        count,
        sorting: "desc"
      },
      maxBytes: 32 * 1024 * 1024,
      schema: schemaOf(book)
    })

  return Effect.fnUntraced(function*({ book, from, limit, to }: TradesQuery): Effect.fn.Return<
    Answer<ReadonlyArray<OptionTrade>>,
    SourceUnavailable
  > {
    const now = yield* Clock.currentTimeMillis
    const found = new Map<string, OptionTrade>()
    let until = Math.min(to - 1, now)
    let answer: Omit<Answer<unknown>, "value"> = { receivedAt: now, date: null }
    // Some pages may contain no trades of this coin.
    const mostPages = 20 + 10 * Math.ceil(limit / most)
    for (let pages = 0; found.size < limit && until >= from; pages++) {
      if (pages >= mostPages) return yield* tooLong(source.name, mostPages)
      const { value: { result }, ...told } = yield* page(book, from, until, Math.min(most, Math.max(limit, 100)))
      answer = told
      const before = found.size
      for (const row of result.trades) {
        const trade = row.timestamp < from || row.timestamp > until ? null : tradeOf(book, row)
        if (trade !== null) found.set(row.trade_id, trade)
      }
      if (!result.has_more) break
      const oldest = result.trades.reduce((time, { timestamp }) => Math.min(time, timestamp), until)
      until = oldest < until || found.size > before ? Math.min(oldest, until) : until - 1
    }
    const trades = [...found.values()].toReversed().sort((a, b) => a.time - b.time)
    return { ...answer, value: trades.slice(-limit) }
  })
}
