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

const listed = "stocks of a country once each, by symbol, each as asked for alone"
const priced = "a quote's change, capitalisation, ratios and range are those of its price"
const bars = "history ends with the newest price, adjusted or as traded"
const summary = "the market has indices, sectors and breadth; foreigners' buying is Korea's alone"
const statements = "statements are those reported by now, and add up"
const results = "announcements to come have no result, past ones have"
const grades = "analysts' grades have a range of targets near the price, or none"
const changed = "changes of grades over all stocks are each stock's own, the newest last"
const insiders = "insiders' trades were filed, by filing"
const filings = "filings have a date, and a time where it is known; the newest last"
const flows = "Korean flows add up to nothing over the four kinds of investors"
const options = "options of a US stock are a chain in shares, which rests while the exchange is closed"
const young = "history begins with the listing, before which there is nothing"
const dead = "one that was delisted keeps its facts and its history, and has no present"

const nothing = () =>
  Effect.fail(
    new SourceUnavailable({ source: "x", failure: "not_configured", reason: "set X_KEY", retryable: false })
  )

assertFaultsDetected(equityMarketsContract, { now, us: "AAPL", kr: "005930", ...stocks.us }, [
  ["no answer", listed, broker(() => ({ stocks: nothing }))],
  ["no answer about options", options, broker(() => ({ options: nothing }))],
  [
    "the dead are forgotten",
    dead,
    broker((honest) => ({
      stocks: (country) =>
        mapReadingValue(honest.stocks(country), (all) => all.filter(({ delistedAt }) => delistedAt === null))
    }))
  ],
  [
    "the dead have a price",
    dead,
    broker((honest) => ({
      quote: (symbol) => honest.quote(symbol === "TWTR" ? "AAPL" : symbol)
    }))
  ],
  [
    "a listing without its instant",
    young,
    broker((honest) => ({
      stock: (symbol) => mapReadingValue(honest.stock(symbol), (stock) => ({ ...stock, listedAt: null }))
    }))
  ],
  [
    "no shares",
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
    "grades of stocks that analysts did not give",
    changed,
    broker((honest) => ({
      ratingChanges: (query) =>
        mapReadingValue(honest.ratingChanges(query), (all) => all.map((one) => ({ ...one, firm: "Nobody & Sons" })))
    }))
  ],
  [
    "more grades than were asked for",
    changed,
    broker((honest) => ({ ratingChanges: () => honest.ratingChanges({ limit: 30 }) }))
  ],
  ["a change that is none of the price", priced, quote((one) => ({ ...one, changePct: 55 }))],
  ["a previous close that is none", bars, quote((one) => ({ ...one, previousClose: 3 }))],
  ["a capitalisation below nothing", priced, quote((one) => ({ ...one, marketCap: -1 }))],
  ["a capitalisation of other shares", priced, quote((one) => ({ ...one, marketCap: 2 * one.marketCap! }))],
  ["a range beside the price", priced, quote((one) => ({ ...one, low52w: 1e9, high52w: 2e9 }))],
  [
    "a price of 1970",
    priced,
    broker((honest) => ({
      quote: (symbol) =>
        withAsOf(mapReadingValue(honest.quote(symbol), (one) => ({ ...one, time: 0, extended: null })), 0)
    }))
  ],
  ["a volume below nothing", priced, quote((one) => ({ ...one, volume: -1 }))],
  ["a turnover at another price", priced, quote((one) => ({ ...one, turnover: one.turnover! / 1_000 }))],
  ["a ratio of a loss", priced, quote((one) => ({ ...one, eps: -2 }))],
  ["a ratio below nothing", priced, quote((one) => ({ ...one, pe: -5, eps: null }))],
  ["a ratio of other earnings", priced, quote((one) => ({ ...one, pe: one.pe! / 4 }))],
  ["a session that is not on", priced, quote((one) => ({ ...one, session: "closed" }))],
  [
    "a price out of hours within them",
    priced,
    quote((one) => ({
      ...one,
      extended: { session: "post", time: one.time, price: one.price }
    }))
  ],
  [
    "zeros for what nobody tells",
    priced,
    patchyBroker((honest) => ({
      quote: (symbol) => mapReadingValue(honest.quote(symbol), (one) => ({ ...one, eps: 0, bookValue: 0 }))
    }))
  ],
  [
    "a turnover of zero where nobody tells",
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
    "fewer than none declined",
    summary,
    market((one) => ({
      ...one,
      breadth: { advancing: 1, declining: -1, unchanged: 100 }
    }))
  ],
  ["no indices", summary, market((one) => ({ ...one, indices: [] }))],
  ["no sectors", summary, market((one) => ({ ...one, sectors: [] }))],
  [
    "foreigners who bought nothing where nobody tells",
    summary,
    patchyBroker((honest) => ({
      market: (country) =>
        mapReadingValue(honest.market(country), (one) => ({ ...one, foreignNetKrw: country === "KR" ? 0 : null }))
    }))
  ],
  [
    "an index that changed by itself",
    summary,
    market((one) => ({
      ...one,
      indices: one.indices.map((index) => ({ ...index, changePct: 77 }))
    }))
  ],
  ["no assets", statements, quarters((period) => ({ ...period, totalAssets: 0 }))],
  ["assets that are nobody's", statements, quarters((period) => ({ ...period, totalAssets: 2 * period.totalAssets! }))],
  ["a free cash flow of its own", statements, quarters((period) => ({ ...period, freeCashFlow: 1 }))],
  ["statements of tomorrow", statements, quarters((period) => ({ ...period, reportedAt: now + dayMs }))],
  [
    "zeros for what is not stated",
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
    "a margin that is none of the statements",
    statements,
    broker((honest) => ({
      fundamentals: (symbol) =>
        mapReadingValue(honest.fundamentals(symbol), (all) => ({ ...all, ratios: { ...all.ratios, netMarginPct: 1 } }))
    }))
  ],
  [
    "ratios below nothing",
    statements,
    broker((honest) => ({
      fundamentals: (symbol) =>
        mapReadingValue(honest.fundamentals(symbol), (all) => ({ ...all, ratios: { ...all.ratios, pe: -5 } }))
    }))
  ],
  [
    "results to come",
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
    "no results",
    results,
    broker((honest) => ({
      earnings: (query) => mapReadingValue(honest.earnings(query), (all) => ({ ...all, history: [] }))
    }))
  ],
  [
    "a target of zero where there is none",
    grades,
    patchyBroker((honest) => ({
      ratings: (symbol) =>
        mapReadingValue(honest.ratings(symbol), (all) => ({ ...all, target: { low: 0, mean: 0, high: 0 } }))
    }))
  ],
  [
    "no insiders",
    insiders,
    broker((honest) => ({
      insiderTrades: (query) => withAsOf(mapReadingValue(honest.insiderTrades(query), () => []), now)
    }))
  ],
  [
    "a grant that cost nothing",
    insiders,
    patchyBroker((honest) => ({
      insiderTrades: (query) =>
        mapReadingValue(honest.insiderTrades(query), (all) => all.map((trade) => ({ ...trade, price: 0 })))
    }))
  ],
  [
    "insiders as of now",
    insiders,
    broker((honest) => ({ insiderTrades: (query) => withAsOf(honest.insiderTrades(query), now) }))
  ],
  [
    "no filings",
    filings,
    broker((honest) => ({ filings: (query) => mapReadingValue(honest.filings(query), () => []) }))
  ],
  [
    "filings at midnight of 1970",
    filings,
    patchyBroker((honest) => ({
      filings: (query) => mapReadingValue(honest.filings(query), (all) => all.map((filing) => ({ ...filing, time: 0 })))
    }))
  ],
  [
    "nobody bought",
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
    "individuals who bought nothing where nobody tells",
    flows,
    broker((honest) => ({
      investorFlows: (query) =>
        mapReadingValue(honest.investorFlows(query), (all) => all.map((flow) => ({ ...flow, retailKrw: 0 })))
    }))
  ],
  [
    "flows as of the opening",
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
    "marks of zero where nobody marks",
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
    "nothing is open",
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
    "volatility that is none of the mark",
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
    "European where it is not",
    options,
    chain((all) => ({
      ...all,
      expiries: all.expiries.map((expiry) => ({ ...expiry, exercise: "european" }))
    }))
  ],
  [
    "a forward that is none",
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
    "a closed venue that quotes on",
    options,
    broker((honest) => ({
      options: (query) =>
        withAsOf(mapReadingValue(honest.options(query), (all) => ({ ...all, time: saturday })), saturday)
    }))
  ],
  [
    "a price after hours as of the close",
    priced,
    broker((honest) => ({
      quote: (symbol) => Effect.flatMap(honest.quote(symbol), (read) => withAsOf(Effect.succeed(read), read.value.time))
    }))
  ]
])
