import { type Interval, type OptionTrade, SourceUnavailable } from "@tapeline/core/market"
import { Clock, Effect, Schema } from "effect"
import {
  InstantMs,
  Name,
  NonNegativeNumeric,
  PositiveNumeric,
  type Source,
  type SourceResponse
} from "../source/index.ts"
import { type DeribitBook, parseOptionName } from "./instruments.ts"
import { hasInstrumentPrefix, optionalNullable, roundDecimals, rpcResponse } from "./rpc.ts"

const TradeFields = Schema.Struct({
  trade_id: Name,
  instrument_name: Name,
  timestamp: InstantMs,
  direction: Schema.Literals(["buy", "sell"]),
  price: NonNegativeNumeric,
  amount: PositiveNumeric,
  index_price: PositiveNumeric,
  iv: optionalNullable(NonNegativeNumeric)
})
type Row = typeof TradeFields.Type

/**
 * Returns the schema of a page of trades. A page contains trades of all coins of the currency, because paging continues
 * from the last trade of a page.
 */
const pageSchema = ({ prefix }: DeribitBook) => {
  const isRead = ({ instrument_name: name }: Row) =>
    !hasInstrumentPrefix(prefix, name) || parseOptionName(name) !== null
  const Trade = TradeFields.check(Schema.makeFilter(isRead, { expected: "an option" }))
  return rpcResponse(Schema.Struct({ trades: Schema.Array(Trade), has_more: Schema.Boolean }))
}

/** Converts a row to core's trade, or returns null for another coin and for a trade without a volatility. */
const toTrade = ({ inCoin, prefix }: DeribitBook, row: Row): OptionTrade | null => {
  const { amount, direction, index_price, instrument_name, iv, price, timestamp } = row
  const option = hasInstrumentPrefix(prefix, instrument_name) ? parseOptionName(instrument_name) : null
  if (option === null || iv === undefined || iv === null || iv === 0) return null
  return {
    ...option,
    time: timestamp,
    instrument: instrument_name,
    side: direction,
    size: amount,
    premiumUsd: roundDecimals(price * amount * (inCoin ? index_price : 1)),
    ivPct: iv,
    spot: index_price
  }
}

export type TradesQuery = { readonly book: DeribitBook; readonly limit: number } & Interval

const makeTooManyPagesError = (source: string, pages: number) =>
  new SourceUnavailable({
    source,
    failure: "malformed",
    reason: `the trades exceed ${pages} pages`,
    retryable: true
  })

/**
 * Returns a reader that requests pages until `limit` trades are found. Pages overlap by one millisecond, because trades
 * of one millisecond may be split between pages.
 */
export const makeTradesReader = (source: Source, maxPerPage: number) => {
  const schemas = new Map<string, ReturnType<typeof pageSchema>>()
  const schemaOf = (book: DeribitBook) => {
    const schema = schemas.get(book.coin) ?? pageSchema(book)
    schemas.set(book.coin, schema)
    return schema
  }

  const fetchPage = (book: DeribitBook, from: number, until: number, count: number) =>
    source.json({
      label: "option trades",
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
    SourceResponse<ReadonlyArray<OptionTrade>>,
    SourceUnavailable
  > {
    const now = yield* Clock.currentTimeMillis
    const found = new Map<string, OptionTrade>()
    let until = Math.min(to - 1, now)
    let answer: Omit<SourceResponse<unknown>, "value"> = { receivedAt: now, date: null }
    // Some pages may contain no trades of the requested coin.
    const maxPages = 20 + 10 * Math.ceil(limit / maxPerPage)
    for (let pages = 0; found.size < limit && until >= from; pages++) {
      if (pages >= maxPages) return yield* makeTooManyPagesError(source.name, maxPages)
      const { value: { result }, ...metadata } = yield* fetchPage(
        book,
        from,
        until,
        Math.min(maxPerPage, Math.max(limit, 100))
      )
      answer = metadata
      const before = found.size
      for (const row of result.trades) {
        const trade = row.timestamp < from || row.timestamp > until ? null : toTrade(book, row)
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
