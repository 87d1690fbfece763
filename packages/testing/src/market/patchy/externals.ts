import {
  type EconomicEvent,
  type EquityMarkets,
  type Interval,
  type MacroCalendar,
  mapReading,
  type OptionChain,
  type Reading,
  reading,
  SourceUnavailable,
  type StockQuote,
  type StoredEquities,
  type TokenMarkets
} from "@tapeline/core/market"
import { Effect } from "effect"

/** Prices alone: what companies earn and own, and what stands around a price, nobody tells. */
const quoteOf = (quote: StockQuote): StockQuote => ({
  ...quote,
  turnover: null,
  marketCap: null,
  eps: null,
  pe: null,
  bookValue: null,
  pb: null,
  low52w: null,
  high52w: null,
  extended: null
})

/** The same, as of its price. */
const quoted = ({ sources, value }: Reading<StockQuote>): Reading<StockQuote> =>
  reading(quoteOf(value), sources, value.time)

/** The first expiry has no strike with both sides, so nobody knows its forward, nor what volatility its prices mean. */
const withoutForward = (chain: OptionChain): OptionChain => ({
  ...chain,
  expiries: chain.expiries.map((expiry, i) =>
    i > 0 ? expiry : {
      ...expiry,
      forward: null,
      discount: null,
      quotes: expiry.quotes.map((quote) => ({ ...quote, bid: null, mark: null, ivPct: null, openInterest: null }))
    }
  )
})

export const patchStored = (equities: StoredEquities["Service"]): StoredEquities["Service"] => ({
  ...equities,
  quotes: (country) =>
    Effect.map(
      equities.quotes(country),
      ({ sources, value }) => reading(value.map(quoteOf), sources, Math.max(...value.map(({ time }) => time)))
    )
})

export const patchEquities = (equities: EquityMarkets["Service"]): EquityMarkets["Service"] => ({
  ...equities,
  stocks: (country) =>
    Effect.map(
      equities.stocks(country),
      (all) => mapReading(all, (stocks) => stocks.map((stock) => ({ ...stock, koreanName: null, listedAt: null })))
    ),
  stock: (symbol) =>
    Effect.map(
      equities.stock(symbol),
      (stock) => mapReading(stock, (value) => ({ ...value, koreanName: null, listedAt: null }))
    ),
  fundamentals: (symbol) =>
    Effect.map(equities.fundamentals(symbol), (fundamentals) =>
      mapReading(fundamentals, (value) => ({
        ...value,
        quarters: value.quarters.map((period) => ({ ...period, grossProfit: null, totalLiabilities: null })),
        ratios: { ...value.ratios, grossMarginPct: null }
      }))),
  insiderTrades: (query) =>
    Effect.map(
      equities.insiderTrades(query),
      (trades) => mapReading(trades, (all) => all.map((trade) => ({ ...trade, kind: "other", price: null })))
    ),
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
  ratingChanges: (query) =>
    Effect.map(
      equities.ratingChanges(query),
      (changes) => mapReading(changes, (all) => all.map((change) => ({ ...change, target: null })))
    ),
  filings: (query) =>
    Effect.map(
      equities.filings(query),
      (filings) => mapReading(filings, (all) => all.map((filing) => ({ ...filing, time: null })))
    ),
  quote: (symbol) =>
    Effect.map(
      equities.quote(symbol),
      (quote) => mapReading(quoted(quote), (value) => ({ ...value, foreignSharePct: null }))
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
  token: (query) =>
    Effect.map(
      tokens.token(query),
      (token) =>
        mapReading(token, (details) => ({
          ...details,
          holders: null,
          top10SharePct: null,
          flags: details.flags.filter((flag) => flag !== "concentrated"),
          unchecked: ["concentrated"],
          // Of what is traded in pools alone, prices and liquidity are known.
          ...(details.coin === null
            ? { circulatingSupply: null, totalSupply: null, maxSupply: null, fdvUsd: null }
            : {})
        }))
    ),
  // Two of the smallest pools tell nothing but that they are there, and no fee is told of the others that are small.
  pools: (query) =>
    Effect.map(
      tokens.pools({ ...query, limit: Infinity }),
      (pools) =>
        mapReading(pools, (all) =>
          all.map((pool, i) => ({
            ...pool,
            ...(i >= all.length - 2 ? { liquidityUsd: null, volume24hUsd: null } : {}),
            feePct: 2 * i > all.length ? null : pool.feePct
          })).slice(0, query.limit))
    ),
  stablecoinFlows: (days) =>
    Effect.map(
      tokens.stablecoinFlows(days),
      (flows) => mapReading(flows, (all) => all.map((flow) => ({ ...flow, exchangeNetUsd: null })))
    )
})

/** Where an event without a time stands: at its date's midnight. */
const placeOf = ({ date, time }: EconomicEvent): number => time ?? Date.parse(date)

/** Events of little importance by their date alone; no units, no forecasts. */
const dated = (events: ReadonlyArray<EconomicEvent>, { from }: Interval): ReadonlyArray<EconomicEvent> =>
  events
    .map((event) => ({ ...event, time: event.importance === "low" ? null : event.time, unit: null, forecast: null }))
    .filter((event) => placeOf(event) >= from)
    .sort((a, b) => placeOf(a) - placeOf(b))

export const patchMacro = (calendar: MacroCalendar["Service"]): MacroCalendar["Service"] => ({
  events: (query) =>
    Effect.map(
      calendar.events(query),
      (events) => mapReading(events, (all) => dated(all, query))
    ),
  yieldCurve: (country) =>
    Effect.map(calendar.yieldCurve(country), (curve) =>
      mapReading(curve, (value) => ({
        ...value,
        points: value.points.map((point) => ({ ...point, yield1mAgoPct: null }))
      })))
})
