import {
  type EquityMarkets,
  type MacroCalendar,
  mapReading,
  type OptionChain,
  SourceUnavailable,
  type StockQuote,
  type StoredEquities,
  type TokenMarkets
} from "@tapeline/core/market"
import { Effect } from "effect"

const quoteOf = (quote: StockQuote): StockQuote => ({ ...quote, extended: null, pe: null, pb: null })

/** The first expiry has no strike with both sides, so nobody knows its forward, nor what volatility its prices mean. */
const withoutForward = (chain: OptionChain): OptionChain => ({
  ...chain,
  expiries: chain.expiries.map((expiry, i) =>
    i > 0 ? expiry : {
      ...expiry,
      forward: null,
      quotes: expiry.quotes.map((quote) => ({ ...quote, bid: null, ivPct: null }))
    }
  )
})

export const patchStored = (equities: StoredEquities["Service"]): StoredEquities["Service"] => ({
  ...equities,
  quotes: (country) => Effect.map(equities.quotes(country), (all) => mapReading(all, (quotes) => quotes.map(quoteOf)))
})

export const patchEquities = (equities: EquityMarkets["Service"]): EquityMarkets["Service"] => ({
  ...equities,
  stocks: (country) =>
    Effect.map(
      equities.stocks(country),
      (all) => mapReading(all, (stocks) => stocks.map((stock) => ({ ...stock, listedAt: null })))
    ),
  stock: (symbol) =>
    Effect.map(equities.stock(symbol), (stock) => mapReading(stock, (value) => ({ ...value, listedAt: null }))),
  earnings: (query) =>
    Effect.map(equities.earnings(query), (report) =>
      mapReading(report, ({ history, upcoming }) => ({
        history,
        upcoming: upcoming.map((event) => ({ ...event, time: null, when: null, epsEstimate: null }))
      }))),
  ratings: (symbol) =>
    Effect.map(equities.ratings(symbol), (ratings) =>
      mapReading(ratings, ({ changes, ...rest }) => ({
        ...rest,
        changes: changes.map((change) => ({ ...change, target: null })),
        target: null
      }))),
  filings: (query) =>
    Effect.map(
      equities.filings(query),
      (filings) => mapReading(filings, (all) => all.map((filing) => ({ ...filing, time: null })))
    ),
  quote: (symbol) =>
    Effect.map(
      equities.quote(symbol),
      (quote) => mapReading(quote, (value) => ({ ...quoteOf(value), foreignSharePct: null }))
    ),
  market: (country) =>
    Effect.map(
      equities.market(country),
      (market) => mapReading(market, (value) => ({ ...value, foreignNetKrw: null }))
    ),
  investorFlows: () =>
    Effect.fail(
      new SourceUnavailable({
        source: "krx",
        failure: "not_configured",
        reason: "no free source tells who buys; set KRX_KEY",
        variable: "KRX_KEY",
        retryable: false
      })
    ),
  options: (query) => Effect.map(equities.options(query), (chain) => mapReading(chain, withoutForward))
})

export const patchTokens = (tokens: TokenMarkets["Service"]): TokenMarkets["Service"] => ({
  ...tokens,
  token: (coinOrAddress) =>
    Effect.map(
      tokens.token(coinOrAddress),
      (token) =>
        mapReading(token, (details) => ({
          ...details,
          holders: null,
          top10SharePct: null,
          // Of what is traded in pools alone, prices and liquidity are known.
          ...(details.coin === null
            ? { circulatingSupply: null, totalSupply: null, maxSupply: null, fdvUsd: null }
            : {})
        }))
    ),
  stablecoinFlows: (days) =>
    Effect.map(
      tokens.stablecoinFlows(days),
      (flows) => mapReading(flows, (all) => all.map((flow) => ({ ...flow, exchangeNetUsd: null })))
    )
})

export const patchMacro = (calendar: MacroCalendar["Service"]): MacroCalendar["Service"] => ({
  events: (query) =>
    Effect.map(
      calendar.events(query),
      (events) => mapReading(events, (all) => all.map((event) => ({ ...event, forecast: null })))
    ),
  yieldCurve: (country) =>
    Effect.map(calendar.yieldCurve(country), (curve) =>
      mapReading(curve, (value) => ({
        ...value,
        points: value.points.map((point) => ({ ...point, yield1mAgoPct: null }))
      })))
})
