import { assert, describe, it } from "@effect/vitest"
import {
  type Candle,
  dayMs,
  EquityMarkets,
  type InsiderTrade,
  type InvestorFlow,
  makeReading,
  NoData,
  pickTools,
  SourceUnavailable,
  Toolbox,
  tools
} from "@tapeline/core"
import {
  getKrInvestorFlows,
  getUsEarnings,
  getUsInsiderTrades,
  getUsStock,
  getUsStockHistory
} from "@tapeline/core/specifications"
import { callExpectingFailure, callTool } from "@tapeline/testing/toolCalls"
import { Effect, Layer } from "effect"
import { deriveEventMove } from "../../src/analysis/options/eventMove.ts"
import { isThirdFriday } from "../../src/analysis/options/expiry.ts"
import type { TermPoint } from "../../src/analysis/options/termStructure.ts"
import { fakeEquities, now } from "../tools/fakeMarket.ts"
import { makeRunOnEngine } from "../tools/runOnEngine.ts"

const names = [
  "get_kr_investor_flows",
  "get_us_earnings",
  "get_us_insider_trades",
  "get_us_stock",
  "get_us_stock_history"
] as const

const over = (equities: Partial<EquityMarkets["Service"]>) =>
  makeRunOnEngine(
    Toolbox.layer(pickTools(tools, names)).pipe(
      Layer.provide(Layer.succeed(EquityMarkets, { ...fakeEquities, ...equities }))
    )
  )

const succeedWith = <A>(value: A) => Effect.succeed(makeReading(value, "fixture", now))

/** Monday, 2026-06-01; sessions in New York open at 13:30 UTC in summer. */
const monday = Date.parse("2026-06-01T13:30:00Z")
const candle = (time: number, price: number, volume: number): Candle => ({
  time,
  open: price,
  high: price * 1.1,
  low: price * 0.9,
  close: price,
  volume,
  quoteVolume: price * volume,
  takerBuyVolume: null,
  closed: true
})

describe("a split within a week", () => {
  // A ten-for-one split takes effect on Wednesday, so a price of 100 before equals a price of 10 afterwards.
  const splits = [{ time: monday + 2 * dayMs, ratio: 10 }]
  const days = [0, 1, 2, 3, 4].map((i) => candle(monday + i * dayMs, i < 2 ? 100 : 10, i < 2 ? 50 : 500))
  const weeks = [
    candle(monday - 7 * dayMs, 100, 250),
    // In the week of the split, the unadjusted candle mixes prices before and after the split.
    { ...candle(monday, 10, 1_600), open: 100, high: 110, low: 9 },
    candle(monday + 7 * dayMs, 10, 2_500)
  ]
  const history: EquityMarkets["Service"]["history"] = ({ timeframe, until }) => {
    const candles = timeframe === "1w" ? weeks : days.filter(({ time }) => until === undefined || time <= until)
    return succeedWith({ candles, adjusted: false, splits, dividends: [] })
  }

  it.effect("builds the weekly candle from adjusted days, or returns it as traded without adjustment", () =>
    Effect.gen(function*() {
      const ask = over({ history })
      const split = yield* ask(callTool(getUsStockHistory, { symbol: "AAPL", tf: "1w", bars: 3 }))
      assert.deepStrictEqual(
        split.candles.map(({ close, high, low, open, volume }) => [open, high, low, close, volume]),
        [[10, 11, 9, 10, 2_500], [10, 11, 9, 10, 2_500], [10, 11, 9, 10, 2_500]]
      )
      assert.deepStrictEqual([split.change_pct, split.notes], [0, []])
      const unadjusted = yield* ask(callTool(getUsStockHistory, { symbol: "AAPL", tf: "1w", bars: 5, adjust: "none" }))
      assert.deepStrictEqual([unadjusted.candles[1]!.high, unadjusted.candles[1]!.low, unadjusted.change_pct], [
        110,
        9,
        -90
      ])
      assert.deepStrictEqual(unadjusted.notes, ["Only 3 of 5 candles exist."])
    }))
})

describe("investor flows", () => {
  const flow = (i: number, facts: Partial<InvestorFlow>): InvestorFlow => ({
    time: now - (9 - i) * dayMs,
    foreignKrw: 5e9,
    institutionKrw: -1e9,
    retailKrw: -3e9,
    otherKrw: -1e9,
    provisional: false,
    ...facts
  })

  it.effect("add a source's rounding error to the largest flow, and are null for unreported investors", () =>
    Effect.gen(function*() {
      const rounded = over({ investorFlows: () => succeedWith([flow(1, {}), flow(2, { foreignKrw: 5.001e9 })]) })
      const { foreign_streak, notes, points, totals } = yield* rounded(callTool(getKrInvestorFlows, { days: 3 }))
      assert.deepStrictEqual(points.map(({ foreign }) => foreign), [5e9, 5e9])
      assert.deepStrictEqual(totals, { foreign: 10e9, institution: -2e9, retail: -6e9, other: -2e9 })
      assert.deepStrictEqual([foreign_streak, notes], [2, ["Only 2 of 3 sessions are recorded."]])
      const partialFlows = over({
        investorFlows: () => succeedWith([flow(1, {}), flow(2, { foreignKrw: null, otherKrw: null })])
      })
      const some = yield* partialFlows(callTool(getKrInvestorFlows, { symbol: "005930", days: 2 }))
      assert.deepStrictEqual([some.totals.foreign, some.totals.retail, some.foreign_streak], [null, -6e9, null])
      assert.deepStrictEqual(some.notes, ["Not reported in at least one session: foreign, other."])
      const emptyFlows = yield* over({ investorFlows: () => succeedWith([]) })(
        callTool(getKrInvestorFlows, { days: 2 })
      )
      assert.deepStrictEqual([emptyFlows.points, emptyFlows.totals.foreign, emptyFlows.foreign_streak], [
        [],
        null,
        null
      ])
    }))
})

describe("insider trades", () => {
  const trade = (facts: Partial<InsiderTrade>): InsiderTrade => ({
    time: now - 5 * dayMs,
    filedAt: now - 3 * dayMs,
    name: "A Person",
    role: "Director",
    kind: "buy",
    shares: 100,
    price: 10,
    ...facts
  })

  it.effect("add up to net_usd if they are open-market trades with a known price", () =>
    Effect.gen(function*() {
      const net = (trades: ReadonlyArray<InsiderTrade>) =>
        over({ insiderTrades: () => succeedWith(trades) })(callTool(getUsInsiderTrades, { symbol: "AAPL" }))
      const mixedTrades = yield* net([trade({}), trade({ kind: "other" }), trade({ kind: "grant", price: null })])
      assert.deepStrictEqual([mixedTrades.net_usd, mixedTrades.open_market_trades, mixedTrades.notes], [1_000, 1, []])
      assert.deepStrictEqual(mixedTrades.trades.map(({ code, side, usd }) => [code, side, usd]), [
        ["P", "buy", 1_000],
        [null, null, 1_000],
        ["A", "acquire", null]
      ])
      assert.isNull((yield* net([trade({ price: null })])).net_usd)
      assert.isNull((yield* net([trade({ kind: "other" })])).net_usd)
      const emptyNet = yield* net([])
      assert.deepStrictEqual([emptyNet.net_usd, emptyNet.notes], [0, ["No trade was filed within 90 days."]])
    }))
})

describe("unavailable sources", () => {
  const failWith = (failure: "unreachable" | "not_configured") =>
    Effect.fail(
      new SourceUnavailable({ source: "broker", failure, reason: "none", retryable: failure === "unreachable" })
    )

  it.effect("resolve a ticker without the list of stocks, but no company name", () =>
    Effect.gen(function*() {
      const ask = over({ stocks: () => failWith("unreachable") })
      assert.strictEqual((yield* ask(callTool(getUsStock, { symbol: "AAPL" }))).symbol, "AAPL")
      const { code, retryable } = yield* ask(callExpectingFailure(getUsStock, { symbol: "apple inc" }))
      assert.deepStrictEqual([code, retryable], ["source_unavailable", true])
      assert.strictEqual(
        (yield* ask(callExpectingFailure(getUsStock, { symbol: " " })).pipe(Effect.flip))._tag,
        "InvalidArguments"
      )
    }))

  it.effect("leave earnings without an implied move, or fail the call if the options source is unreachable", () =>
    Effect.gen(function*() {
      const event = {
        symbol: "AAPL",
        name: "Apple",
        period: "2026Q2",
        date: "2026-07-30",
        time: null,
        when: null,
        epsEstimate: null,
        eps: null,
        movePct: null
      }
      const pastEvent = { ...event, date: "2026-04-30", eps: 1, epsEstimate: 0 }
      const earnings = () => succeedWith({ upcoming: [event], history: [pastEvent] })
      const noData = new NoData({ subject: "x", reason: { key: "none_american", params: { symbol: "x" } } })
      for (const options of [() => failWith("not_configured"), () => Effect.fail(noData)]) {
        const { history, implied_move_pct, mean_abs_move_pct, next, notes, upcoming } = yield* over({
          earnings,
          options
        })(
          callTool(getUsEarnings, { symbol: "AAPL" })
        )
        assert.deepStrictEqual([implied_move_pct, mean_abs_move_pct, next?.date], [null, null, "2026-07-30"])
        assert.deepStrictEqual([history[0]!.surprise_pct, upcoming], [null, []])
        assert.match(notes.join(), /implied_move_pct is null.*surprise_pct is null/u)
      }
      const failed = yield* over({ earnings, options: () => failWith("unreachable") })(
        callExpectingFailure(getUsEarnings, { symbol: "AAPL" })
      )
      assert.strictEqual(failed.code, "source_unavailable")
    }))
})

describe("the implied move of an announcement", () => {
  const point = (days: number, atm: number | null): TermPoint => ({
    expiryAt: now + days * dayMs,
    days,
    atm,
    forward: 100,
    strikeCount: 1,
    call25: null,
    put25: null,
    rr25: null,
    bf25: null
  })
  /** At-the-money volatility: 20 % a year, plus an announcement on the tenth day that moves the price by 5 %. */
  const atm = (days: number): number => 100 * Math.sqrt((0.04 * days / 365 + (days > 10 ? 0.0025 : 0)) / (days / 365))
  const event = { date: "", time: now + 10 * dayMs }
  const expected = 100 * 0.05 * Math.sqrt(2 / Math.PI)

  /**
   * A term structure whose daily variance falls or rises with the maturity, plus an announcement on the tenth day that
   * moves the price by 5 %.
   */
  const termPointWithSlope = (days: number, slope: number): TermPoint =>
    point(days, 100 * Math.sqrt((1.1e-4 * days + 0.5 * slope * days ** 2 + (days > 10 ? 0.0025 : 0)) / (days / 365)))
  const pctOf = (term: ReadonlyArray<TermPoint>, ...later: ReadonlyArray<typeof event>): number => {
    const move = deriveEventMove(term, [event, ...later])
    if (typeof move === "string") throw new Error(move)
    assert.strictEqual(move.expiryAt, now + 14 * dayMs)
    return move.pct
  }

  it("is the variance in excess of the rate of the neighbouring intervals", () => {
    assert.closeTo(pctOf([7, 14, 21].map((days) => point(days, atm(days)))), expected, 0.01)
    assert.closeTo(pctOf([14, 21].map((days) => point(days, atm(days)))), expected, 0.01)
    assert.closeTo(pctOf([7, 14].map((days) => point(days, atm(days)))), expected, 0.01)
  })

  it("stays the same when the term structure falls or rises", () => {
    for (const slope of [-4e-6, -2e-6, 2e-6, 1e-5]) {
      assert.closeTo(pctOf([3, 7, 14, 21].map((days) => termPointWithSlope(days, slope))), expected, 0.05, `${slope}`)
    }
  })

  it("is the price of a straddle over the announcement", () => {
    // For an announcement that moves the price by 30 %, the expected move is 200 (2 N(0.15) - 1).
    const large = (days: number): TermPoint =>
      point(days, 100 * Math.sqrt((0.04 * days / 365 + (days > 10 ? 0.09 : 0)) / (days / 365)))
    assert.closeTo(pctOf([7, 14, 21].map(large)), 23.847, 0.01)
  })

  it("does not take a rate from an interval with another announcement", () => {
    const term = [7, 14, 21].map((days) => point(days, atm(days)))
    const termWithHighPoint = [...term.slice(0, 2), point(120, 40)]
    // The last expiry may be after the next announcement: first with an unknown date of that announcement, then with a
    // known date.
    assert.closeTo(pctOf(termWithHighPoint), expected, 0.01)
    assert.closeTo(pctOf(termWithHighPoint, { date: "", time: now + 101 * dayMs }), expected, 0.01)
    assert.strictEqual(deriveEventMove(termWithHighPoint.slice(1), [event]), "no_usual_rate")
    assert.closeTo(pctOf(term.slice(1), { date: "", time: now + 101 * dayMs }), expected, 0.01)
  })

  it("leaves out an expiry on the announcement's date when its hour is unknown", () => {
    const dated = { date: new Date(now + 10 * dayMs).toISOString().slice(0, 10), time: null }
    const term = [7, 10, 14, 21].map((days) => point(days, days === 10 ? 90 : atm(days)))
    const move = deriveEventMove(term, [dated])
    assert.closeTo(typeof move === "string" ? NaN : move.pct, expected, 0.01)
  })

  it("returns the reason if options do not show a move", () => {
    assert.strictEqual(deriveEventMove([point(14, atm(14))], [event]), "no_usual_rate")
    assert.strictEqual(deriveEventMove([point(3, 20), point(7, 20)], [event]), "no_expiry_after")
    assert.strictEqual(deriveEventMove([], [event]), "no_expiry_after")
    assert.strictEqual(deriveEventMove([point(7, 30), point(14, 30), point(21, 30)], [event]), "no_excess")
    assert.strictEqual(deriveEventMove([point(7, null), point(14, 20)], [event]), "no_usual_rate")
  })
})

describe("monthly expiries", () => {
  it("fall on the third Friday, or on Thursday if that Friday is a holiday", () => {
    const close = (date: string) => Date.parse(`${date}T20:00:00Z`)
    for (const date of ["2026-11-20", "2026-06-18", "2025-04-17", "2026-01-16"]) {
      assert.isTrue(isThirdFriday(close(date)), date)
    }
    for (const date of ["2026-11-13", "2026-11-27", "2026-06-17", "2026-11-19"]) {
      assert.isFalse(isThirdFriday(close(date)), date)
    }
  })
})
