import type { DatedFuture, OptionChain, OptionExpiry, OptionQuote } from "@tapeline/core/market"
import { Schema } from "effect"
import { InstantMs, Name, NonNegativeNumeric, PositiveNumeric } from "../source/index.ts"
import { type DeribitBook, type DeribitOption, parseFutureExpiry, parseOptionName } from "./instruments.ts"
import { optionalNullable, roundDecimals, rowsOfCoin, rpcResponse } from "./rpc.ts"

const OptionFields = Schema.Struct({
  instrument_name: Name,
  creation_timestamp: InstantMs,
  /** The forward price for the option's expiry. */
  underlying_price: PositiveNumeric,
  /** The index price, or in the last half hour before an expiry, the average index price so far. */
  estimated_delivery_price: optionalNullable(PositiveNumeric),
  bid_price: optionalNullable(NonNegativeNumeric),
  ask_price: optionalNullable(NonNegativeNumeric),
  mark_price: optionalNullable(NonNegativeNumeric),
  mark_iv: optionalNullable(NonNegativeNumeric),
  open_interest: optionalNullable(NonNegativeNumeric),
  volume: optionalNullable(NonNegativeNumeric)
})
type Summary = typeof OptionFields.Type

const OptionSummary = OptionFields.check(
  Schema.makeFilter(({ instrument_name }: Summary) => parseOptionName(instrument_name) !== null, {
    expected: "an option"
  })
)

const FutureSummary = Schema.Struct({
  instrument_name: Name,
  creation_timestamp: InstantMs,
  estimated_delivery_price: optionalNullable(PositiveNumeric),
  mark_price: optionalNullable(NonNegativeNumeric)
})

interface Named {
  readonly instrument_name: string
  readonly estimated_delivery_price?: number | null
}

const areUnique = (rows: ReadonlyArray<Named>): boolean =>
  new Set(rows.map(({ instrument_name }) => instrument_name)).size === rows.length

const hasIndex = (rows: ReadonlyArray<Named>): boolean =>
  rows.length === 0 || rows.some(({ estimated_delivery_price: index }) => index !== undefined && index !== null)

const summariesSchema = <A extends Named, I>(prefix: string, row: Schema.Codec<A, I>) =>
  rpcResponse(
    rowsOfCoin(prefix, row).check(
      Schema.makeFilter(areUnique, { expected: "each instrument once" }),
      Schema.makeFilter(hasIndex, { expected: "the index" })
    )
  )

export const OptionSummaries = ({ prefix }: DeribitBook) => summariesSchema(prefix, OptionSummary)

export const FutureSummaries = ({ prefix }: DeribitBook) => summariesSchema(prefix, FutureSummary)

/** Converts a price to dollars, or returns null for an unknown price or a price of 0. */
const toDollars = (price: number | null | undefined, dollars: number): number | null =>
  price === undefined || price === null || price === 0 ? null : roundDecimals(price * dollars)

const nullIfZero = (value: number | null | undefined): number | null =>
  value === undefined || value === null || value === 0 ? null : value

/** Returns the index price from the row with the latest expiry. */
const indexOf = (rows: ReadonlyArray<readonly [expiryAt: number, row: Named]>): number =>
  rows.reduce(
    (last, [expiryAt, { estimated_delivery_price: index }]) =>
      index !== undefined && index !== null && expiryAt > last.expiryAt ? { expiryAt, index } : last,
    { expiryAt: -Infinity, index: 0 }
  ).index

interface ReadOption {
  readonly option: DeribitOption
  readonly summary: Summary
}

const toQuote = ({ option: { strike, type }, summary }: ReadOption, { inCoin }: DeribitBook): OptionQuote => {
  // Options priced in the coin are converted with the forward price, which Deribit uses for their Black-76 prices.
  const dollars = inCoin ? summary.underlying_price : 1
  const { mark_price: mark } = summary
  return {
    instrument: summary.instrument_name,
    type,
    strike,
    bid: toDollars(summary.bid_price, dollars),
    ask: toDollars(summary.ask_price, dollars),
    mark: mark === undefined || mark === null ? null : roundDecimals(mark * dollars),
    ivPct: nullIfZero(summary.mark_iv),
    openInterest: summary.open_interest ?? null,
    volume24h: summary.volume ?? null
  }
}

const compareQuotes = (a: ReadOption, b: ReadOption): number =>
  a.option.strike - b.option.strike || (a.option.type === b.option.type ? 0 : a.option.type === "call" ? -1 : 1)

const expiryOf = (expiryAt: number, rows: ReadonlyArray<ReadOption>, book: DeribitBook): OptionExpiry => {
  const newest = rows.reduce((a, b) => b.summary.creation_timestamp > a.summary.creation_timestamp ? b : a)
  return {
    expiryAt,
    forward: newest.summary.underlying_price,
    discount: 1,
    exercise: "european",
    quotes: rows.toSorted(compareQuotes).map((row) => toQuote(row, book))
  }
}

/** Returns the creation time of the newest row, or `receivedAt` if Deribit's clock is ahead. */
const timeOf = (rows: ReadonlyArray<{ readonly creation_timestamp: number }>, receivedAt: number): number =>
  Math.min(receivedAt, rows.reduce((newest, row) => Math.max(newest, row.creation_timestamp), 0))

/** Converts option summaries to an option chain, or returns null if nothing is listed. */
export const toChain = (book: DeribitBook, rows: ReadonlyArray<Summary>, receivedAt: number): OptionChain | null => {
  const time = timeOf(rows, receivedAt)
  const read = rows.flatMap((summary): ReadonlyArray<ReadOption> => {
    const option = parseOptionName(summary.instrument_name)
    return option === null || option.expiryAt <= time ? [] : [{ option, summary }]
  })
  if (read.length === 0) return null
  const byExpiry = Map.groupBy(read, ({ option }) => option.expiryAt)
  return {
    time,
    underlying: book.coin,
    spot: indexOf(read.map(({ option, summary }) => [option.expiryAt, summary])),
    multiplier: book.contractSize,
    expiries: [...byExpiry].sort(([a], [b]) => a - b).map(([expiryAt, rows]) => expiryOf(expiryAt, rows, book))
  }
}

/** Converts summaries to dated futures that have a mark price, nearest expiry first. */
export const toDatedFutures = (
  rows: ReadonlyArray<typeof FutureSummary.Type>,
  receivedAt: number
): ReadonlyArray<DatedFuture> => {
  const time = timeOf(rows, receivedAt)
  // A perpetual has no expiry, so the index price of its row is the most reliable.
  const indexPrice = indexOf(rows.map((row) => [parseFutureExpiry(row.instrument_name) ?? Infinity, row]))
  return rows.flatMap((row) => {
    const expiryAt = parseFutureExpiry(row.instrument_name)
    const price = nullIfZero(row.mark_price)
    return expiryAt === null || price === null || expiryAt <= time
      ? []
      : [{ instrument: row.instrument_name, time, expiryAt, price, indexPrice }]
  }).sort((a, b) => a.expiryAt - b.expiryAt)
}
