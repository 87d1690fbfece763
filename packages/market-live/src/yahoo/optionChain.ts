/** Implements `EquityMarkets.options` with Yahoo's option chains. */
import {
  dayMs,
  lastSession,
  makeReading,
  type MarketError,
  minuteMs,
  NoData,
  type OptionChain,
  type OptionExpiry,
  type OptionQuote,
  type OptionType,
  previousSession,
  type Reading,
  sessionOf
} from "@tapeline/core/market"
import { impliedVolatility76 } from "@tapeline/quant/options"
import { Clock, Effect } from "effect"
import { findStockInCountry } from "./findStocks.ts"
import type { YahooChain, YahooContract } from "./rows.ts"
import { treasuryBillSymbol } from "./symbols.ts"
import { type Yahoo, yahooName } from "./Yahoo.ts"

type Service = Yahoo["Service"]

/**
 * The number of shares per contract. Option contracts of another size result from corporate actions and are skipped.
 */
const multiplier = 100
const regularSize = "REGULAR"

/** The number of strikes near the money from which the forward price is computed. */
const parityStrikes = 5
const yearMs = 365 * dayMs

/**
 * Returns the expiry time of a date that Yahoo sends as midnight. Options expire at the close of the date's session, or
 * of the previous session.
 */
export const expiryOf = (date: number): number => {
  const day = Math.floor(date / dayMs)
  return (sessionOf("US", day) ?? previousSession("US", day)).closeAt
}

/** Converts a bid or ask of 0 to null, because 0 means that nobody bids or asks. */
const nullIfZero = (price: number | null | undefined): number | null =>
  price === undefined || price === 0 ? null : price

interface Side {
  readonly bid: number | null
  readonly ask: number | null
  readonly mark: number | null
}

/**
 * Returns bid, ask and mid price, or null if the quotes are crossed, because bid and ask are then of different times.
 */
const toSide = ({ ask, bid }: YahooContract): Side => {
  const [low, high] = [nullIfZero(bid), nullIfZero(ask)]
  if (low !== null && high !== null && low > high) return { bid: null, ask: null, mark: null }
  return { bid: low, ask: high, mark: low === null || high === null ? null : (low + high) / 2 }
}

/** Returns the median forward price by put-call parity, over the strikes at which call and put prices are closest. */
const forwardOf = (
  calls: ReadonlyMap<number, Side>,
  puts: ReadonlyMap<number, Side>,
  discount: number
): number | null => {
  const found = [...calls].flatMap(([strike, call]) => {
    const put = puts.get(strike)
    if (call.mark === null || put === undefined || put.mark === null) return []
    return [{ distance: Math.abs(call.mark - put.mark), forward: strike + (call.mark - put.mark) / discount }]
  }).sort((a, b) => a.distance - b.distance).slice(0, parityStrikes).map(({ forward }) => forward).sort((a, b) => a - b)
  return found.length === 0 ? null : found[found.length >> 1]!
}

interface PricingInputs {
  readonly forward: number | null
  readonly discount: number | null
  readonly years: number
  readonly hasOpenInterest: boolean
}

const quoteOf = (
  contract: YahooContract,
  side: Side,
  type: OptionType,
  { discount, forward, hasOpenInterest, years }: PricingInputs
): OptionQuote => {
  const { contractSymbol, openInterest, strike, volume } = contract
  const iv = side.mark === null || forward === null || discount === null || years <= 0
    ? null
    : impliedVolatility76({ price: side.mark / discount, forward, strike, years, type })
  return {
    instrument: contractSymbol,
    type,
    strike,
    ...side,
    // Near a price bound, a change of one cent changes the implied volatility arbitrarily.
    ivPct: iv === null || iv <= 0 || iv >= 20 ? null : 100 * iv,
    openInterest: hasOpenInterest && openInterest !== null && openInterest !== undefined
      ? openInterest * multiplier
      : null,
    volume24h: volume === null || volume === undefined ? null : volume * multiplier
  }
}

type YahooExpiry = YahooChain["options"][number]

const regularContracts = (contracts: ReadonlyArray<YahooContract>): ReadonlyArray<YahooContract> =>
  contracts.filter(({ contractSize, currency }) => contractSize === regularSize && (currency ?? "USD") === "USD")

const toExpiry = (
  { calls, expirationDate, puts }: YahooExpiry,
  time: number,
  rate: number | null,
  isHeld: boolean
): OptionExpiry => {
  const expiryAt = expiryOf(expirationDate)
  const years = (expiryAt - time) / yearMs
  const discount = rate === null ? null : Math.exp(-rate * years)
  const sides = (contracts: ReadonlyArray<YahooContract>) =>
    new Map(regularContracts(contracts).map((contract) => [contract.strike, toSide(contract)]))
  const forward = forwardOf(sides(calls), sides(puts), discount ?? 1)
  const priced = { forward, discount, years, hasOpenInterest: isHeld }
  const all = [["call", calls], ["put", puts]] as const
  const quotes = all.flatMap(([type, contracts]) =>
    regularContracts(contracts).map((contract) => quoteOf(contract, toSide(contract), type, priced))
  )
  const uniqueQuotes = new Map(quotes.map((quote) => [`${quote.strike} ${quote.type}`, quote]))
  return {
    expiryAt,
    forward,
    discount,
    exercise: "american",
    quotes: [...uniqueQuotes.values()].sort((a, b) =>
      a.strike - b.strike || (a.type === b.type ? 0 : a.type === "call" ? -1 : 1)
    )
  }
}

/** Fetches the continuously compounded interest rate from three-month bills, or null if unknown. */
const fetchRate = (yahoo: Service) =>
  Effect.map(yahoo.quotes([treasuryBillSymbol]), ({ value }) => {
    const pct = value.get(treasuryBillSymbol)?.regularMarketPrice ?? null
    return pct === null || pct > 50 ? null : Math.log1p(pct / 100)
  })

const noOptions = (symbol: string, expiryAt: number | undefined): NoData =>
  new NoData({
    subject: `${symbol} options`,
    reason: expiryAt === undefined
      ? { key: "none_recorded", params: { symbol } }
      : { key: "none_at_expiry", params: { symbol } }
  })

export const makeOptionsRead = (yahoo: Service) =>
  Effect.fnUntraced(function*({ expiryAt, symbol }: {
    readonly symbol: string
    readonly expiryAt?: number
  }): Effect.fn.Return<Reading<OptionChain>, MarketError> {
    const { row } = yield* findStockInCountry(yahoo, symbol, "US", "options")
    const now = yield* Clock.currentTimeMillis
    const first = (yield* yahoo.options({ symbol: row.symbol })).value
    const { regularMarketPrice: spot, regularMarketTime: tradedAt } = first?.quote ?? {}
    if (first === null || spot == null || tradedAt == null) return yield* noOptions(symbol, undefined)
    // Options on funds trade for fifteen minutes after the close.
    const time = Math.min(now, tradedAt, lastSession("US", now).closeAt + 15 * minuteMs)
    const wanted = first.expirationDates.filter((date) =>
      expiryOf(date) > now && (expiryAt === undefined || expiryOf(date) === expiryAt)
    )
    const rate = yield* fetchRate(yahoo)
    const found = yield* Effect.forEach(wanted, (date) => {
      const known = first.options.find(({ expirationDate }) => expirationDate === date)
      return known !== undefined ? Effect.succeed(known) : Effect.map(
        yahoo.options({ symbol: row.symbol, date }),
        ({ value }) => value?.options.find(({ expirationDate }) => expirationDate === date)
      )
    }, { concurrency: 4 })
    const listedExpiries = found.filter((expiry) => expiry !== undefined)
      .filter(({ calls, puts }) => regularContracts(calls).length + regularContracts(puts).length > 0)
    if (listedExpiries.length === 0) return yield* noOptions(symbol, expiryAt)
    // Before the daily count, all open interest may be reported as 0, although open interest exists.
    const isHeld = listedExpiries.some(({ calls, puts }) =>
      [...calls, ...puts].some(({ openInterest }) => (openInterest ?? 0) > 0)
    )
    const byExpiry = new Map(
      listedExpiries.map((expiry) => toExpiry(expiry, time, rate, isHeld)).map((one) => [one.expiryAt, one])
    )
    const expiries = [...byExpiry.values()].sort((a, b) => a.expiryAt - b.expiryAt)
    return makeReading(
      { time, underlying: symbol, spot, multiplier, expiries },
      yahooName,
      time
    )
  })
