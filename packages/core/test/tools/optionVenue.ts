/** A hand-made options venue: round numbers, flat volatility, and parts that tests can remove. */
import {
  dayMs,
  ImpliedVolatilities,
  type IvHistory,
  type MarketRead,
  NoData,
  type OptionChain,
  type OptionExpiry,
  type OptionQuote,
  OptionsVenue,
  type OptionTrade,
  reading,
  SourceUnavailable
} from "@tapeline/core"
import { black76 } from "@tapeline/quant"
import { Effect, Layer } from "effect"
import { now } from "./market.ts"

export const strikes = Array.from({ length: 13 }, (_, i) => 70 + 5 * i)

/**
 * Quotes with a volatility of 50 % at every strike and a tenth on either side. The open interest is 10 per call and 20
 * per put.
 */
const quotesOf = (days: number, forward: number): ReadonlyArray<OptionQuote> =>
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

export const expiryOf = (days: number, forward = 100): OptionExpiry => ({
  expiryAt: now + days * dayMs,
  forward,
  discount: 1,
  exercise: "european",
  quotes: quotesOf(days, forward)
})

export const chainOf = (expiries: ReadonlyArray<OptionExpiry>): OptionChain => ({
  time: now,
  underlying: "BTC",
  spot: 100,
  multiplier: 1,
  expiries
})

/** The expiry with each of its quotes changed. */
export const quoting = (expiry: OptionExpiry, change: (quote: OptionQuote) => Partial<OptionQuote>): OptionExpiry => ({
  ...expiry,
  quotes: expiry.quotes.map((quote) => ({ ...quote, ...change(quote) }))
})

const nothing = () =>
  new NoData({ subject: "BTC options", reason: { key: "none_recorded", params: { symbol: "BTC" } } })

export const away = new SourceUnavailable({
  source: "venue",
  failure: "rate_limited",
  reason: "too much was asked",
  retryable: true
})

export interface Venue {
  readonly chain?: OptionChain | SourceUnavailable
  readonly trades?: ReadonlyArray<OptionTrade> | SourceUnavailable
  readonly history?: Omit<IvHistory, "maturityDays" | "since">
}

const readOf = <A>(value: A | SourceUnavailable | undefined): MarketRead<A> =>
  value === undefined
    ? Effect.fail(nothing())
    : value instanceof SourceUnavailable
    ? Effect.fail(value)
    : Effect.succeed(reading(value, "venue", now))

export const layerVenue = ({ chain, history, trades }: Venue): Layer.Layer<OptionsVenue | ImpliedVolatilities> =>
  Layer.merge(
    Layer.succeed(OptionsVenue, {
      underlyings: readOf(["BTC"]),
      chain: () => readOf<OptionChain>(chain),
      trades: ({ limit = 1_000 }) => readOf(trades instanceof SourceUnavailable ? trades : trades?.slice(-limit))
    }),
    Layer.succeed(ImpliedVolatilities, {
      history: ({ maturityDays }) =>
        readOf<IvHistory>(history === undefined ? undefined : { ...history, maturityDays, since: null })
    })
  )
