import {
  dayMs,
  type EarningsEvent,
  localDay,
  type OptionExpiry,
  type OptionQuote,
  type RatingGrade
} from "@tapeline/core/market"
import { Effect } from "effect"
import type { FakeResponse } from "../server/FakeServer.ts"
import { queryNumber } from "../server/numbers.ts"
import { errorResponse } from "./charts.ts"
import { seconds, toOwnSymbol } from "./names.ts"
import { readRow, valueOrNull, type YahooPorts } from "./quotes.ts"

const dateOf = ({ expiryAt }: OptionExpiry): number => seconds(localDay("US", expiryAt) * dayMs)

const contractOf = (quote: OptionQuote, spot: number, multiplier: number) => ({
  contractSymbol: quote.instrument,
  strike: quote.strike,
  currency: "USD",
  lastPrice: quote.mark ?? 0,
  change: 0,
  percentChange: 0,
  ...(quote.volume24h === null ? {} : { volume: Math.round(quote.volume24h / multiplier) }),
  ...(quote.openInterest === null ? {} : { openInterest: Math.round(quote.openInterest / multiplier) }),
  bid: quote.bid ?? 0,
  ask: quote.ask ?? 0,
  contractSize: "REGULAR",
  impliedVolatility: (quote.ivPct ?? 0) / 100,
  inTheMoney: quote.type === "call" ? quote.strike < spot : quote.strike > spot
})

export const serveOptions = Effect.fnUntraced(function*(
  ports: YahooPorts,
  yahoo: string,
  query: URLSearchParams
): Effect.fn.Return<FakeResponse> {
  const row = yield* readRow(ports, yahoo)
  const chain = row === null ? null : yield* valueOrNull(ports.equities.options({ symbol: toOwnSymbol(yahoo) }))
  if (row === null) return { body: { optionChain: { result: [], error: null } } }
  const expiries = chain?.expiries ?? []
  const date = queryNumber(query, "date")
  const shownExpiries = date === undefined ? expiries.slice(0, 1) : expiries.filter((expiry) => dateOf(expiry) === date)
  const [spot, multiplier] = [chain?.spot ?? 0, chain?.multiplier ?? 100]
  const contractsOf = (expiry: OptionExpiry, type: "call" | "put") =>
    expiry.quotes.filter((quote) => quote.type === type).map((quote) => contractOf(quote, spot, multiplier))
  const result = {
    underlyingSymbol: yahoo,
    expirationDates: expiries.map(dateOf),
    strikes: [],
    hasMiniOptions: false,
    quote: row,
    options: shownExpiries.map((expiry) => ({
      expirationDate: dateOf(expiry),
      hasMiniOptions: false,
      calls: contractsOf(expiry, "call"),
      puts: contractsOf(expiry, "put")
    }))
  }
  return { body: { optionChain: { result: [result], error: null } } }
})

const words: Readonly<Record<RatingGrade, string>> = {
  strong_buy: "Strong Buy",
  buy: "Overweight",
  hold: "Equal-Weight",
  sell: "Underperform",
  strong_sell: "Strong Sell"
}

const quarterName = ({ period }: EarningsEvent): string => `${period.slice(5)}Q${period.slice(0, 4)}`

const earningsSummary = Effect.fnUntraced(function*({ equities }: YahooPorts, symbol: string) {
  const report = yield* valueOrNull(equities.earnings({ symbol, days: 120 }))
  const [next] = report?.upcoming ?? []
  return {
    calendarEvents: {
      maxAge: 1,
      earnings: {
        earningsDate: next?.time == null ? [] : [seconds(next.time)],
        isEarningsDateEstimate: false,
        ...(next?.epsEstimate == null ? {} : { earningsAverage: next.epsEstimate })
      }
    },
    earnings: {
      maxAge: 86_400,
      earningsChart: {
        quarterly: (report?.history ?? []).slice(-4).map((event) => ({
          date: quarterName(event),
          fiscalQuarter: quarterName(event),
          actual: event.eps,
          estimate: event.epsEstimate,
          reportedDate: Date.parse(event.date) / 1_000
        })),
        ...(next === undefined ? {} : { currentFiscalQuarter: quarterName(next) })
      }
    }
  }
})

const analystsSummary = Effect.fnUntraced(function*({ equities }: YahooPorts, symbol: string) {
  const ratings = yield* valueOrNull(equities.ratings(symbol))
  if (ratings === null) return null
  const { changes, counts, target } = ratings
  const trend = {
    period: "0m",
    strongBuy: counts.strong_buy,
    buy: counts.buy,
    hold: counts.hold,
    sell: counts.sell,
    strongSell: counts.strong_sell
  }
  const ratedChanges = changes.toReversed().map(({ firm, from, target: price, time, to }) => ({
    epochGradeDate: seconds(time),
    firm,
    toGrade: words[to],
    fromGrade: from === null ? "" : words[from],
    action: from === null ? "init" : "main",
    currentPriceTarget: price ?? 0
  }))
  // Adds two unusual rows: a firm that ended its coverage without a grade, and a row without a firm.
  const endedCoverage = [{ ...ratedChanges[0], firm: "Nobody & Co", toGrade: "Not Rated" }, {
    ...ratedChanges[0],
    firm: ""
  }]
  return {
    recommendationTrend: { trend: [trend, { ...trend, period: "-1m", buy: trend.buy + 1 }], maxAge: 86_400 },
    financialData: target === null ? { maxAge: 86_400 } : {
      maxAge: 86_400,
      targetHighPrice: target.high,
      targetLowPrice: target.low,
      targetMeanPrice: target.mean,
      recommendationKey: "buy"
    },
    upgradeDowngradeHistory: {
      history: ratedChanges.length === 0 ? [] : [...endedCoverage, ...ratedChanges],
      maxAge: 86_400
    }
  }
})

export const serveSummary = Effect.fnUntraced(function*(
  ports: YahooPorts,
  yahoo: string,
  query: URLSearchParams
): Effect.fn.Return<FakeResponse> {
  const symbol = toOwnSymbol(yahoo)
  const row = yield* readRow(ports, yahoo)
  const modules = (query.get("modules") ?? "").split(",")
  const summaryResult = row === null
    ? null
    : modules.includes("recommendationTrend")
    ? yield* analystsSummary(ports, symbol)
    : yield* earningsSummary(ports, symbol)
  return summaryResult === null
    ? errorResponse("quoteSummary", 404, "Not Found", `Quote not found for symbol: ${yahoo}`)
    : { body: { quoteSummary: { result: [summaryResult], error: null } } }
})
