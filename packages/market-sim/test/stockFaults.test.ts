// The contract suite of stocks detects incorrect adapters: each adapter fails the check that is named with it.
import {
  dayMs,
  EquityMarkets,
  type EquityMarketSummary,
  type FinancialPeriod,
  type OptionChain,
  SourceUnavailable,
  type StockQuote
} from "@tapeline/core/market"
import { equityMarketsContract } from "@tapeline/testing/contracts/equityMarkets"
import { Effect } from "effect"
import { assertFaultsDetected, makeFaultyAdapter, mapReadingValue, withAsOf } from "./support/faultyAdapters.ts"
import { layerCompleteMarket, now } from "./support/markets.ts"
import { stocks } from "./support/stocks.ts"

const broker = makeFaultyAdapter(EquityMarkets, layerCompleteMarket)
/** Over the venue that lacks much data. */
const patchyBroker = makeFaultyAdapter(EquityMarkets)

const quote = (lie: (quote: StockQuote) => StockQuote) =>
  broker((honest) => ({ quote: (symbol) => mapReadingValue(honest.quote(symbol), lie) }))
const market = (lie: (market: EquityMarketSummary) => EquityMarketSummary) =>
  broker((honest) => ({ market: (country) => mapReadingValue(honest.market(country), lie) }))
const quarters = (lie: (period: FinancialPeriod) => FinancialPeriod) =>
  broker((honest) => ({
    fundamentals: (symbol) =>
      mapReadingValue(honest.fundamentals(symbol), (all) => ({ ...all, quarters: all.quarters.map(lie) }))
  }))
const chain = (lie: (chain: OptionChain) => OptionChain) =>
  broker((honest) => ({ options: (query) => mapReadingValue(honest.options(query), lie) }))

const listed = "lists the stocks of a country once, by symbol, each equal to a single read"
const priced = "a quote's change, market capitalisation, ratios and range follow from its price"
const bars = "history ends at the newest price, with and without adjustment"
const summary = "the market has indices, sectors and breadth; only Korea has foreign net buying"
const statements = "statements add up, and only reported ones are returned"
const results = "upcoming announcements have no result, and past ones have one"
const grades = "analyst ratings have a range of targets near the price, or no target"
const changed = "rating changes of all stocks equal those of each stock, newest last"
const insiders = "insider trades are sorted by their filing time, which is past"
const filings = "filings have a date, a time if it is known, and are sorted newest last"
const flows = "Korean flows add up to 0 over the four investor types"
const options = "options of a US stock are an American-style chain that does not change while the exchange is closed"
const young = "history begins at the listing, and fails with NoData before it"
const dead = "a delisted stock keeps its facts and history, and has no quote"

const nothing = () =>
  Effect.fail(
    new SourceUnavailable({ source: "x", failure: "not_configured", reason: "set X_KEY", retryable: false })
  )

assertFaultsDetected(equityMarketsContract, { now, us: "AAPL", kr: "005930", ...stocks.us }, [
  ["a list of stocks that is not configured", listed, broker(() => ({ stocks: nothing }))],
  ["options that are not configured", options, broker(() => ({ options: nothing }))],
  [
    "a list without delisted stocks",
    dead,
    broker((honest) => ({
      stocks: (country) =>
        mapReadingValue(honest.stocks(country), (all) => all.filter(({ delistedAt }) => delistedAt === null))
    }))
  ],
  [
    "a quote of a delisted stock",
    dead,
    broker((honest) => ({
      quote: (symbol) => honest.quote(symbol === "TWTR" ? "AAPL" : symbol)
    }))
  ],
  [
    "a listing without its time",
    young,
    broker((honest) => ({
      stock: (symbol) => mapReadingValue(honest.stock(symbol), (stock) => ({ ...stock, listedAt: null }))
    }))
  ],
  [
    "a share count of zero",
    listed,
    broker((honest) => ({
      stock: (symbol) => mapReadingValue(honest.stock(symbol), (stock) => ({ ...stock, sharesOutstanding: 0 })),
      stocks: (country) =>
        mapReadingValue(honest.stocks(country), (all) => all.map((one) => ({ ...one, sharesOutstanding: 0 })))
    }))
  ],
  [
    "a Korean name of blanks",
    listed,
    broker((honest) => ({
      stocks: (country) =>
        mapReadingValue(honest.stocks(country), (all) => all.map((one) => ({ ...one, koreanName: " " })))
    }))
  ],
  [
    "flows that stay provisional",
    flows,
    broker((honest) => ({
      investorFlows: (query) =>
        mapReadingValue(honest.investorFlows(query), (all) => all.map((flow) => ({ ...flow, provisional: true })))
    }))
  ],
  [
    "rating changes that the stock's own ratings do not contain",
    changed,
    broker((honest) => ({
      ratingChanges: (query) =>
        mapReadingValue(honest.ratingChanges(query), (all) => all.map((one) => ({ ...one, firm: "Nobody & Sons" })))
    }))
  ],
  [
    "more rating changes than requested",
    changed,
    broker((honest) => ({ ratingChanges: () => honest.ratingChanges({ limit: 30 }) }))
  ],
  ["a change that does not follow from the price", priced, quote((one) => ({ ...one, changePct: 55 }))],
  ["a wrong previous close", bars, quote((one) => ({ ...one, previousClose: 3 }))],
  ["a negative market capitalisation", priced, quote((one) => ({ ...one, marketCap: -1 }))],
  [
    "a market capitalisation for another share count",
    priced,
    quote((one) => ({ ...one, marketCap: 2 * one.marketCap! }))
  ],
  ["a 52-week range that does not contain the price", priced, quote((one) => ({ ...one, low52w: 1e9, high52w: 2e9 }))],
  [
    "a price with a time of 1970",
    priced,
    broker((honest) => ({
      quote: (symbol) =>
        withAsOf(mapReadingValue(honest.quote(symbol), (one) => ({ ...one, time: 0, extended: null })), 0)
    }))
  ],
  ["a negative volume", priced, quote((one) => ({ ...one, volume: -1 }))],
  ["a turnover at another price", priced, quote((one) => ({ ...one, turnover: one.turnover! / 1_000 }))],
  ["a price/earnings ratio of a loss", priced, quote((one) => ({ ...one, eps: -2 }))],
  ["a negative price/earnings ratio", priced, quote((one) => ({ ...one, pe: -5, eps: null }))],
  ["a price/earnings ratio of other earnings", priced, quote((one) => ({ ...one, pe: one.pe! / 4 }))],
  ["a wrong session", priced, quote((one) => ({ ...one, session: "closed" }))],
  [
    "an extended-hours price during the session",
    priced,
    quote((one) => ({
      ...one,
      extended: { session: "post", time: one.time, price: one.price }
    }))
  ],
  [
    "zeros instead of null for values that are not reported",
    priced,
    patchyBroker((honest) => ({
      quote: (symbol) => mapReadingValue(honest.quote(symbol), (one) => ({ ...one, eps: 0, bookValue: 0 }))
    }))
  ],
  [
    "a turnover of zero instead of null",
    priced,
    patchyBroker((honest) => ({
      quote: (symbol) => mapReadingValue(honest.quote(symbol), (one) => ({ ...one, turnover: 0 }))
    }))
  ],
  [
    "a quote as of the newest second",
    priced,
    broker((honest) => ({ quote: (symbol) => withAsOf(honest.quote(symbol), now - 1) }))
  ],
  ["bars as of 1970", bars, broker((honest) => ({ history: (query) => withAsOf(honest.history(query), 0) }))],
  [
    "bars at midnight",
    bars,
    broker((honest) => ({
      history: (query) =>
        mapReadingValue(honest.history(query), (all) => ({
          ...all,
          candles: all.candles.map((candle) => ({ ...candle, time: Math.floor(candle.time / dayMs) * dayMs }))
        }))
    }))
  ],
  [
    "no bars",
    bars,
    broker((honest) => ({
      history: (query) => mapReadingValue(honest.history(query), (all) => ({ ...all, candles: [] }))
    }))
  ],
  [
    "a negative number of declining stocks",
    summary,
    market((one) => ({
      ...one,
      breadth: { advancing: 1, declining: -1, unchanged: 100 }
    }))
  ],
  ["no indices", summary, market((one) => ({ ...one, indices: [] }))],
  ["no sectors", summary, market((one) => ({ ...one, sectors: [] }))],
  [
    "foreign net buying of zero instead of null",
    summary,
    patchyBroker((honest) => ({
      market: (country) =>
        mapReadingValue(honest.market(country), (one) => ({ ...one, foreignNetKrw: country === "KR" ? 0 : null }))
    }))
  ],
  [
    "an index change that does not follow from its values",
    summary,
    market((one) => ({
      ...one,
      indices: one.indices.map((index) => ({ ...index, changePct: 77 }))
    }))
  ],
  ["total assets of zero", statements, quarters((period) => ({ ...period, totalAssets: 0 }))],
  [
    "assets that exceed liabilities and equity",
    statements,
    quarters((period) => ({ ...period, totalAssets: 2 * period.totalAssets! }))
  ],
  [
    "a free cash flow that does not follow from the statement",
    statements,
    quarters((period) => ({ ...period, freeCashFlow: 1 }))
  ],
  ["statements reported in the future", statements, quarters((period) => ({ ...period, reportedAt: now + dayMs }))],
  [
    "zeros instead of null for figures that are not stated",
    statements,
    patchyBroker((honest) => ({
      fundamentals: (symbol) =>
        mapReadingValue(honest.fundamentals(symbol), (all) => ({
          ...all,
          quarters: all.quarters.map((period) => ({ ...period, grossProfit: 0 }))
        }))
    }))
  ],
  [
    "a margin that does not follow from the statements",
    statements,
    broker((honest) => ({
      fundamentals: (symbol) =>
        mapReadingValue(honest.fundamentals(symbol), (all) => ({ ...all, ratios: { ...all.ratios, netMarginPct: 1 } }))
    }))
  ],
  [
    "negative ratios",
    statements,
    broker((honest) => ({
      fundamentals: (symbol) =>
        mapReadingValue(honest.fundamentals(symbol), (all) => ({ ...all, ratios: { ...all.ratios, pe: -5 } }))
    }))
  ],
  [
    "results of upcoming announcements",
    results,
    broker((honest) => ({
      earnings: (query) =>
        mapReadingValue(
          honest.earnings(query),
          (all) => ({ ...all, upcoming: all.upcoming.map((event) => ({ ...event, eps: 1 })) })
        )
    }))
  ],
  [
    "no past announcements",
    results,
    broker((honest) => ({
      earnings: (query) => mapReadingValue(honest.earnings(query), (all) => ({ ...all, history: [] }))
    }))
  ],
  [
    "a target of zero instead of null",
    grades,
    patchyBroker((honest) => ({
      ratings: (symbol) =>
        mapReadingValue(honest.ratings(symbol), (all) => ({ ...all, target: { low: 0, mean: 0, high: 0 } }))
    }))
  ],
  [
    "no insider trades",
    insiders,
    broker((honest) => ({
      insiderTrades: (query) => withAsOf(mapReadingValue(honest.insiderTrades(query), () => []), now)
    }))
  ],
  [
    "a grant with a price of zero instead of null",
    insiders,
    patchyBroker((honest) => ({
      insiderTrades: (query) =>
        mapReadingValue(honest.insiderTrades(query), (all) => all.map((trade) => ({ ...trade, price: 0 })))
    }))
  ],
  [
    "insider trades as of now",
    insiders,
    broker((honest) => ({ insiderTrades: (query) => withAsOf(honest.insiderTrades(query), now) }))
  ],
  [
    "no filings",
    filings,
    broker((honest) => ({ filings: (query) => mapReadingValue(honest.filings(query), () => []) }))
  ],
  [
    "filings with a time of 1970 instead of null",
    filings,
    patchyBroker((honest) => ({
      filings: (query) => mapReadingValue(honest.filings(query), (all) => all.map((filing) => ({ ...filing, time: 0 })))
    }))
  ],
  [
    "flows of zero for all investors",
    flows,
    broker((honest) => ({
      investorFlows: (query) =>
        mapReadingValue(
          honest.investorFlows(query),
          (all) => all.map((flow) => ({ ...flow, foreignKrw: 0, institutionKrw: 0, retailKrw: 0, otherKrw: 0 }))
        )
    }))
  ],
  [
    "individual flows of zero instead of null",
    flows,
    broker((honest) => ({
      investorFlows: (query) =>
        mapReadingValue(honest.investorFlows(query), (all) => all.map((flow) => ({ ...flow, retailKrw: 0 })))
    }))
  ],
  [
    "flows as of the session's opening",
    flows,
    broker((honest) => ({
      investorFlows: (query) =>
        Effect.flatMap(honest.investorFlows(query), (read) => withAsOf(Effect.succeed(read), read.value.at(-1)!.time))
    }))
  ],
  [
    "marks of zero",
    options,
    chain((all) => ({
      ...all,
      expiries: all.expiries.map((expiry) => ({
        ...expiry,
        quotes: expiry.quotes.map((one) => ({ ...one, bid: null, mark: 0 }))
      }))
    }))
  ],
  [
    "marks of zero instead of null",
    options,
    patchyBroker((honest) => ({
      options: (query) =>
        mapReadingValue(honest.options(query), (all) => ({
          ...all,
          expiries: all.expiries.map((expiry) => ({
            ...expiry,
            quotes: expiry.quotes.map((one) => ({ ...one, mark: one.mark ?? 0 }))
          }))
        }))
    }))
  ],
  [
    "an open interest of zero everywhere",
    options,
    chain((all) => ({
      ...all,
      expiries: all.expiries.map((expiry) => ({
        ...expiry,
        quotes: expiry.quotes.map((one) => ({ ...one, openInterest: 0 }))
      }))
    }))
  ],
  [
    "volatility that does not match the mark",
    options,
    chain((all) => ({
      ...all,
      expiries: all.expiries.map((expiry) => ({
        ...expiry,
        quotes: expiry.quotes.map((one) => ({ ...one, ivPct: 1.5 * one.ivPct! }))
      }))
    }))
  ],
  [
    "European exercise of American options",
    options,
    chain((all) => ({
      ...all,
      expiries: all.expiries.map((expiry) => ({ ...expiry, exercise: "european" }))
    }))
  ],
  [
    "a wrong forward",
    options,
    chain((all) => ({
      ...all,
      expiries: all.expiries.map((expiry) => ({ ...expiry, forward: 1 }))
    }))
  ]
])

const saturday = Date.parse("2026-11-21T12:00:00.001Z")
assertFaultsDetected(equityMarketsContract, { now: saturday, us: "AAPL", kr: "005930", ...stocks.us }, [
  [
    "quotes as of a time when the exchange is closed",
    options,
    broker((honest) => ({
      options: (query) =>
        withAsOf(mapReadingValue(honest.options(query), (all) => ({ ...all, time: saturday })), saturday)
    }))
  ],
  [
    "an after-hours price as of the close",
    priced,
    broker((honest) => ({
      quote: (symbol) => Effect.flatMap(honest.quote(symbol), (read) => withAsOf(Effect.succeed(read), read.value.time))
    }))
  ]
])
