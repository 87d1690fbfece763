/** A test venue for options, with round numbers, a flat volatility and parts that tests can remove. */
import {
  dayMs,
  ImpliedVolatilities,
  type IvHistory,
  makeReading,
  type MarketRead,
  NoData,
  type OptionChain,
  type OptionExpiry,
  type OptionQuote,
  OptionsVenue,
  type OptionTrade,
  SourceUnavailable
} from "@tapeline/core"
import { black76 } from "@tapeline/quant"
import { Effect, Layer } from "effect"
import { now } from "./fakeMarket.ts"

export const strikes = Array.from({ length: 13 }, (_, i) => 70 + 5 * i)

/** Returns quotes with a volatility of 50 % at every strike, and an open interest of 10 per call and 20 per put. */
const makeQuotes = (days: number, forward: number): ReadonlyArray<OptionQuote> =>
  strikes.flatMap((strike) =>
    (["call", "put"] as const).map((type): OptionQuote => {
      const mark = black76({ forward, strike, years: days / 365, sigma: 0.5, type }).price
      return {
        instrument: `BTC-${days}-${strike}-${type}`,
        type,
        strike,
        bid: mark > 0.01 ? 0.9 * mark : null,
        ask: 1.1 * mark,
        mark,
        ivPct: 50,
        openInterest: type === "call" ? 10 : 20,
        volume24h: type === "call" ? 4 : 1
      }
    })
  )

export const makeExpiry = (days: number, forward = 100): OptionExpiry => ({
  expiryAt: now + days * dayMs,
  forward,
  discount: 1,
  exercise: "european",
  quotes: makeQuotes(days, forward)
})

export const makeChain = (expiries: ReadonlyArray<OptionExpiry>): OptionChain => ({
  time: now,
  underlying: "BTC",
  spot: 100,
  multiplier: 1,
  expiries
})

export const withChangedQuotes = (
  expiry: OptionExpiry,
  change: (quote: OptionQuote) => Partial<OptionQuote>
): OptionExpiry => ({
  ...expiry,
  quotes: expiry.quotes.map((quote) => ({ ...quote, ...change(quote) }))
})

const makeNoData = () =>
  new NoData({ subject: "BTC options", reason: { key: "none_recorded", params: { symbol: "BTC" } } })

export const unavailable = new SourceUnavailable({
  source: "venue",
  failure: "rate_limited",
  reason: "too much was asked",
  retryable: true
})

export interface VenueData {
  readonly chain?: OptionChain | SourceUnavailable
  readonly trades?: ReadonlyArray<OptionTrade> | SourceUnavailable
  readonly history?: Omit<IvHistory, "maturityDays" | "since">
}

const makeRead = <A>(value: A | SourceUnavailable | undefined): MarketRead<A> =>
  value === undefined
    ? Effect.fail(makeNoData())
    : value instanceof SourceUnavailable
    ? Effect.fail(value)
    : Effect.succeed(makeReading(value, "venue", now))

export const layerOptionVenue = (
  { chain, history, trades }: VenueData
): Layer.Layer<OptionsVenue | ImpliedVolatilities> =>
  Layer.merge(
    Layer.succeed(OptionsVenue, {
      underlyings: makeRead(["BTC"]),
      chain: () => makeRead<OptionChain>(chain),
      trades: ({ limit = 1_000 }) => makeRead(trades instanceof SourceUnavailable ? trades : trades?.slice(-limit))
    }),
    Layer.succeed(ImpliedVolatilities, {
      history: ({ maturityDays }) =>
        makeRead<IvHistory>(history === undefined ? undefined : { ...history, maturityDays, since: null })
    })
  )
