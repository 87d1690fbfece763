import {
  type EconomicEvent,
  type EquityMarkets,
  type Interval,
  type MacroCalendar,
  makeReading,
  mapReading,
  type OptionChain,
  type Reading,
  SourceUnavailable,
  type StockQuote,
  type StoredEquities,
  type TokenMarkets
} from "@tapeline/core/market"
import { Effect } from "effect"

const degradeQuote = (quote: StockQuote): StockQuote => ({
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

const degradeQuoteReading = ({ sources, value }: Reading<StockQuote>): Reading<StockQuote> =>
  makeReading(degradeQuote(value), sources, value.time)

/**
 * Removes the bids of the first expiry of an option chain, so that the forward and volatilities of the expiry are
 * unknown.
 */
const removeFirstForward = (chain: OptionChain): OptionChain => ({
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

export const degradeStoredEquities = (equities: StoredEquities["Service"]): StoredEquities["Service"] => ({
  ...equities,
  quotes: (country) =>
    Effect.map(
      equities.quotes(country),
      ({ sources, value }) => makeReading(value.map(degradeQuote), sources, Math.max(...value.map(({ time }) => time)))
    )
})

export const degradeEquities = (equities: EquityMarkets["Service"]): EquityMarkets["Service"] => ({
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
      (quote) => mapReading(degradeQuoteReading(quote), (value) => ({ ...value, foreignSharePct: null }))
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
        reason: "no free source provides investor flows; set KRX_KEY",
        variable: "KRX_KEY",
        retryable: false
      })
    ),
  options: (query) => Effect.map(equities.options(query), (chain) => mapReading(chain, removeFirstForward))
})

export const degradeTokens = (tokens: TokenMarkets["Service"]): TokenMarkets["Service"] => ({
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
          // A token that trades only in pools has a known price and liquidity, but no known supply.
          ...(details.coin === null
            ? { circulatingSupply: null, totalSupply: null, maxSupply: null, fdvUsd: null }
            : {})
        }))
    ),
  // The two smallest pools have no figures, and the smaller half of the pools has no fee.
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

/** Returns the time by which a calendar event is sorted: the event's time, or midnight of the event's date. */
const getSortTime = ({ date, time }: EconomicEvent): number => time ?? Date.parse(date)

const degradeEvents = (events: ReadonlyArray<EconomicEvent>, { from }: Interval): ReadonlyArray<EconomicEvent> =>
  events
    .map((event) => ({ ...event, time: event.importance === "low" ? null : event.time, unit: null, forecast: null }))
    .filter((event) => getSortTime(event) >= from)
    .sort((a, b) => getSortTime(a) - getSortTime(b))

export const degradeMacro = (calendar: MacroCalendar["Service"]): MacroCalendar["Service"] => ({
  events: (query) =>
    Effect.map(
      calendar.events(query),
      (events) => mapReading(events, (all) => degradeEvents(all, query))
    ),
  yieldCurve: (country) =>
    Effect.map(calendar.yieldCurve(country), (curve) =>
      mapReading(curve, (value) => ({
        ...value,
        points: value.points.map((point) => ({ ...point, yield1mAgoPct: null }))
      })))
})
