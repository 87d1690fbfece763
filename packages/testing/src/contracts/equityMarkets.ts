import { assert } from "@effect/vitest"
import { dayMs, EquityMarkets } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  ascend,
  byName,
  isPossible,
  isWritable,
  marketSuite,
  nobody,
  type Present,
  refused,
  told,
  toldOf
} from "../market/suite.ts"
import { isChain } from "./optionsVenue.ts"

/** What the suite is told of a venue. */
export interface StockVenue extends Present {
  /** A US stock with options, and a Korean one; both listed for years. */
  readonly us: string
  readonly kr: string
}

const isDate = (date: string): void => assert.match(date, /^\d{4}-\d{2}-\d{2}$/u)

/** What every `EquityMarkets` promises, as tests. */
export const equityMarketsContract = marketSuite<EquityMarkets, EquityMarkets["Service"], StockVenue>(EquityMarkets, [
  [
    "stocks of a country once each, by symbol, each as asked for alone",
    (equities, { kr, us }) =>
      Effect.gen(function*() {
        for (const [country, symbol] of [["US", us], ["KR", kr]] as const) {
          const stocks = yield* told(equities.stocks(country))
          byName(stocks.map((stock) => stock.symbol))
          assert.isTrue(stocks.every((stock) => stock.country === country))
          assert.deepStrictEqual(yield* told(equities.stock(symbol)), stocks.find((stock) => stock.symbol === symbol))
          const quote = yield* toldOf(equities.quote(symbol), ({ time }) => time)
          isWritable(quote)
          assert.strictEqual(quote.symbol, symbol)
          if (country === "US") assert.isNull(quote.foreignSharePct)
        }
      })
  ],
  ["history ends with the newest price, adjusted or as traded", (equities, { now, us }) =>
    Effect.gen(function*() {
      const quote = yield* told(equities.quote(us))
      for (const timeframe of ["15m", "1h", "1d", "1w"] as const) {
        for (const adjusted of [true, false]) {
          const history = yield* told(equities.history({ symbol: us, timeframe, bars: 60, adjusted }))
          assert.strictEqual(history.adjusted, adjusted)
          assert.isAtMost(history.candles.length, 60)
          ascend(history.candles.map(({ time }) => time))
          ascend(history.splits.map(({ time }) => time))
          history.candles.forEach(isPossible)
          assert.isAtMost(history.candles.at(-1)!.time, now)
          assert.strictEqual(history.candles.at(-1)!.close, quote.price)
        }
      }
    })],
  ["the market's breadth counts its stocks; foreigners' buying is Korea's alone", (equities) =>
    Effect.gen(function*() {
      for (const country of ["US", "KR"] as const) {
        const market = yield* toldOf(equities.market(country), ({ time }) => time)
        isWritable(market)
        const { advancing, declining, unchanged } = market.breadth
        assert.isAbove(advancing + declining + unchanged, 0)
        if (country === "US") assert.isNull(market.foreignNetKrw)
      }
    })],
  ["statements and announcements are those known by now", (equities, { now, us }) =>
    Effect.gen(function*() {
      const fundamentals = yield* told(equities.fundamentals(us))
      isWritable(fundamentals)
      for (const period of [...fundamentals.years, ...fundamentals.quarters]) {
        assert.isAtMost(period.reportedAt, now)
        assert.isBelow(period.endAt, period.reportedAt)
      }
      const { history, upcoming } = yield* told(equities.earnings({ symbol: us, days: 60 }))
      isWritable([history, upcoming])
      for (const event of [...history, ...upcoming]) {
        isDate(event.date)
        assert.strictEqual(event.time === null, event.when === null)
        if (event.time !== null && event.time > now) assert.isNull(event.eps)
      }
      byName([...history, ...upcoming].map(({ date }) => date))
      assert.deepStrictEqual((yield* told(equities.earnings({ days: 14 }))).history, [])
    })],
  [
    "grades have a range of targets, or none; insiders' trades were filed",
    (equities, { now, us }) =>
      Effect.gen(function*() {
        const { changes, counts, target } = yield* told(equities.ratings(us))
        ascend(changes.map(({ time }) => time), "events")
        assert.isTrue(Object.values(counts).every((count) => Number.isInteger(count) && count >= 0))
        if (target !== null) {
          assert.isAtMost(target.low, target.mean)
          assert.isAtLeast(target.high, target.mean)
        }
        const trades = yield* told(equities.insiderTrades({ symbol: us, days: 90 }))
        for (const { filedAt, shares, time } of trades) {
          assert.isAtMost(time, filedAt)
          assert.isAtMost(filedAt, now)
          assert.isAbove(shares, 0)
        }
      })
  ],
  [
    "filings have a date, and a time where it is known; the newest last",
    (equities, { kr, now }) =>
      Effect.gen(function*() {
        const filings = yield* told(equities.filings({ symbol: kr, limit: 20 }))
        isWritable(filings)
        assert.isAtMost(filings.length, 20)
        for (const [i, { date, symbol, time }] of filings.entries()) {
          isDate(date)
          assert.strictEqual(symbol, kr)
          if (time !== null) assert.isAtMost(time, now)
          if (i > 0) assert.isTrue(date >= filings[i - 1]!.date)
        }
      })
  ],
  [
    "Korean flows add up to nothing over the four kinds of investors",
    (equities, { kr, now }) =>
      Effect.gen(function*() {
        for (const query of [{ symbol: kr, days: 10 }, { days: 3 }]) {
          const flows = yield* told(equities.investorFlows(query))
          assert.isAtMost(flows.length, query.days)
          ascend(flows.map(({ time }) => time))
          for (const { foreignKrw, institutionKrw, otherKrw, retailKrw, time } of flows) {
            assert.isBelow(time, now)
            assert.strictEqual(foreignKrw + institutionKrw + otherKrw + retailKrw, 0)
          }
        }
      })
  ],
  ["options of a US stock are a chain in shares", (equities, { us }) =>
    Effect.gen(function*() {
      const chain = yield* toldOf(equities.options({ symbol: us }), ({ time }) => time)
      isChain(chain)
      const { expiryAt } = chain.expiries[0]!
      assert.lengthOf((yield* told(equities.options({ symbol: us, expiryAt }))).expiries, 1)
    })],
  ["tells the unknown from what the other country has", (equities, { kr, now, us }) =>
    Effect.gen(function*() {
      assert.strictEqual(yield* refused(equities.quote(nobody)), "UnknownSymbol")
      assert.strictEqual(
        yield* refused(equities.history({ symbol: nobody, timeframe: "1d", bars: 1 })),
        "UnknownSymbol"
      )
      assert.strictEqual(yield* refused(equities.options({ symbol: kr })), "NoData")
      assert.strictEqual(yield* refused(equities.options({ symbol: us, expiryAt: now + dayMs + 1 })), "NoData")
      assert.strictEqual(yield* refused(equities.filings({ symbol: us, limit: 1 })), "NoData")
      assert.strictEqual(yield* refused(equities.investorFlows({ symbol: us, days: 1 })), "NoData")
    })]
])
