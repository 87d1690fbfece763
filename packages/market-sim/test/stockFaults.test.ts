import {
  dayMs,
  EquityMarkets,
  type EquityMarketSummary,
  type FinancialPeriod,
  type OptionExpiry,
  type OptionQuote,
  SourceUnavailable,
  type StockQuote
} from "@tapeline/core/market"
import { equityMarketsContract } from "@tapeline/testing/contracts/equityMarkets"
import { Effect } from "effect"
import { assertFaultsDetected, makeFaultyAdapter } from "./support/faultyAdapters.ts"
import { layerCompleteMarket, now } from "./support/markets.ts"
import { stocks } from "./support/stocks.ts"

const broker = makeFaultyAdapter(EquityMarkets, layerCompleteMarket)
const gappyBroker = makeFaultyAdapter(EquityMarkets)

const quote = (change: (quote: StockQuote) => StockQuote) => broker.change({ quote: change })
const market = (change: (market: EquityMarketSummary) => EquityMarketSummary) => broker.change({ market: change })
const quarters = (change: (period: FinancialPeriod) => FinancialPeriod) =>
  broker.change({ fundamentals: (all) => ({ ...all, quarters: all.quarters.map(change) }) })
const expiries = (make: typeof broker, change: (expiry: OptionExpiry) => OptionExpiry) =>
  make.change({ options: (chain) => ({ ...chain, expiries: chain.expiries.map(change) }) })
const optionQuotes = (make: typeof broker, change: (quote: OptionQuote) => OptionQuote) =>
  expiries(make, (expiry) => ({ ...expiry, quotes: expiry.quotes.map(change) }))

const listed = "lists the stocks of a country once, by symbol, each equal to a single read"
const priced = "a quote's change, market capitalisation, ratios and range follow from its price"
const bars = "history ends at the newest price, with and without adjustment"
const summary = "the market has indices, sectors and breadth; only Korea has foreign net buying"
const statements = "statements add up, and only reported ones are returned"
const results = "upcoming announcements have no result, and past ones have one"
const grades = "analyst ratings have a range of targets near the price, or no target"
const ratingChangesInOrder = "rating changes of all stocks equal those of each stock, newest last"
const insiders = "insider trades are sorted by their filing time, which is past"
const filings = "filings have a date, a time if it is known, and are sorted newest last"
const flows = "Korean flows add up to 0 over the four investor types"
const options = "options of a US stock are an American-style chain that does not change while the exchange is closed"
const historyFromListing = "history begins at the listing, and fails with NoData before it"
const keepsPastOfDelisted = "a delisted stock keeps its facts and history, and has no quote"

const failNotConfigured = () =>
  Effect.fail(
    new SourceUnavailable({ source: "x", failure: "not_configured", reason: "set X_KEY", retryable: false })
  )

assertFaultsDetected(equityMarketsContract, { now, us: "AAPL", kr: "005930", ...stocks.us }, [
  ["a list of stocks that is not configured", listed, broker.replace(() => ({ stocks: failNotConfigured }))],
  ["options that are not configured", options, broker.replace(() => ({ options: failNotConfigured }))],
  [
    "a list without delisted stocks",
    keepsPastOfDelisted,
    broker.change({ stocks: (all) => all.filter(({ delistedAt }) => delistedAt === null) })
  ],
  [
    "a quote of a delisted stock",
    keepsPastOfDelisted,
    broker.replace((original) => ({ quote: (symbol) => original.quote(symbol === "TWTR" ? "AAPL" : symbol) }))
  ],
  [
    "a listing without its time",
    historyFromListing,
    broker.change({ stock: (stock) => ({ ...stock, listedAt: null }) })
  ],
  [
    "a share count of zero",
    listed,
    broker.change({
      stock: (stock) => ({ ...stock, sharesOutstanding: 0 }),
      stocks: (all) => all.map((one) => ({ ...one, sharesOutstanding: 0 }))
    })
  ],
  [
    "a Korean name of blanks",
    listed,
    broker.change({ stocks: (all) => all.map((one) => ({ ...one, koreanName: " " })) })
  ],
  [
    "flows that stay provisional",
    flows,
    broker.change({ investorFlows: (all) => all.map((flow) => ({ ...flow, provisional: true })) })
  ],
  [
    "rating changes that the stock's own ratings do not contain",
    ratingChangesInOrder,
    broker.change({ ratingChanges: (all) => all.map((one) => ({ ...one, firm: "Nobody & Sons" })) })
  ],
  [
    "more rating changes than requested",
    ratingChangesInOrder,
    broker.replace((original) => ({ ratingChanges: () => original.ratingChanges({ limit: 30 }) }))
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
  ["a price with a time of 1970", priced, broker.change({ quote: (one) => ({ ...one, time: 0, extended: null }) }, 0)],
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
    gappyBroker.change({ quote: (one) => ({ ...one, eps: 0, bookValue: 0 }) })
  ],
  ["a turnover of zero instead of null", priced, gappyBroker.change({ quote: (one) => ({ ...one, turnover: 0 }) })],
  ["a quote as of the newest second", priced, broker.setAsOf({ quote: now - 1 })],
  ["bars as of 1970", bars, broker.setAsOf({ history: 0 })],
  [
    "bars at midnight",
    bars,
    broker.change({
      history: (all) => ({
        ...all,
        candles: all.candles.map((candle) => ({ ...candle, time: Math.floor(candle.time / dayMs) * dayMs }))
      })
    })
  ],
  ["no bars", bars, broker.change({ history: (all) => ({ ...all, candles: [] }) })],
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
    gappyBroker.change({ market: (one, country) => ({ ...one, foreignNetKrw: country === "KR" ? 0 : null }) })
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
    gappyBroker.change({
      fundamentals: (all) => ({ ...all, quarters: all.quarters.map((period) => ({ ...period, grossProfit: 0 })) })
    })
  ],
  [
    "a margin that does not follow from the statements",
    statements,
    broker.change({ fundamentals: (all) => ({ ...all, ratios: { ...all.ratios, netMarginPct: 1 } }) })
  ],
  [
    "negative ratios",
    statements,
    broker.change({ fundamentals: (all) => ({ ...all, ratios: { ...all.ratios, pe: -5 } }) })
  ],
  [
    "results of upcoming announcements",
    results,
    broker.change({ earnings: (all) => ({ ...all, upcoming: all.upcoming.map((event) => ({ ...event, eps: 1 })) }) })
  ],
  ["no past announcements", results, broker.change({ earnings: (all) => ({ ...all, history: [] }) })],
  [
    "a target of zero instead of null",
    grades,
    gappyBroker.change({ ratings: (all) => ({ ...all, target: { low: 0, mean: 0, high: 0 } }) })
  ],
  ["no insider trades", insiders, broker.change({ insiderTrades: () => [] }, now)],
  [
    "a grant with a price of zero instead of null",
    insiders,
    gappyBroker.change({ insiderTrades: (all) => all.map((trade) => ({ ...trade, price: 0 })) })
  ],
  ["insider trades as of now", insiders, broker.setAsOf({ insiderTrades: now })],
  ["no filings", filings, broker.change({ filings: () => [] })],
  [
    "filings with a time of 1970 instead of null",
    filings,
    gappyBroker.change({ filings: (all) => all.map((filing) => ({ ...filing, time: 0 })) })
  ],
  [
    "flows of zero for all investors",
    flows,
    broker.change({
      investorFlows: (all) =>
        all.map((flow) => ({ ...flow, foreignKrw: 0, institutionKrw: 0, retailKrw: 0, otherKrw: 0 }))
    })
  ],
  [
    "individual flows of zero instead of null",
    flows,
    broker.change({ investorFlows: (all) => all.map((flow) => ({ ...flow, retailKrw: 0 })) })
  ],
  ["flows as of the session's opening", flows, broker.setAsOf({ investorFlows: (all) => all.at(-1)!.time })],
  ["marks of zero", options, optionQuotes(broker, (one) => ({ ...one, bid: null, mark: 0 }))],
  [
    "marks of zero instead of null",
    options,
    optionQuotes(gappyBroker, (one) => ({ ...one, mark: one.mark ?? 0 }))
  ],
  ["an open interest of zero everywhere", options, optionQuotes(broker, (one) => ({ ...one, openInterest: 0 }))],
  [
    "volatility that does not match the mark",
    options,
    optionQuotes(broker, (one) => ({ ...one, ivPct: 1.5 * one.ivPct! }))
  ],
  [
    "European exercise of American options",
    options,
    expiries(broker, (expiry) => ({ ...expiry, exercise: "european" }))
  ],
  ["a wrong forward", options, expiries(broker, (expiry) => ({ ...expiry, forward: 1 }))]
])

const saturday = Date.parse("2026-11-21T12:00:00.001Z")
assertFaultsDetected(equityMarketsContract, { now: saturday, us: "AAPL", kr: "005930", ...stocks.us }, [
  [
    "quotes as of a time when the exchange is closed",
    options,
    broker.change({ options: (all) => ({ ...all, time: saturday }) }, saturday)
  ],
  ["an after-hours price as of the close", priced, broker.setAsOf({ quote: ({ time }) => time })]
])
