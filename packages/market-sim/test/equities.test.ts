import {
  bucketStart,
  type Candle,
  dayMs,
  dayNumber,
  hourMs,
  lastSession,
  mergeCandles,
  minuteMs,
  previousSession,
  sessionOf
} from "@tapeline/core/market"
import { isFullRun } from "@tapeline/testing/fullRun"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { EquityMarket } from "../src/equity/EquityMarket.ts"
import { getAnnouncement, getLastReportedQuarter } from "../src/equity/facts/fiscalQuarters.ts"
import { makeResultMoves } from "../src/equity/facts/results.ts"
import { getValuationKey } from "../src/equity/facts/statements.ts"
import { getFuturesSession } from "../src/equity/futuresSessions.ts"
import { indexSpecs, isMember, stockSpecs } from "../src/equity/stocks.ts"
import { makeWorld } from "../src/world.ts"
import { makePropertyOptions } from "./support/counts.ts"
import { computeCorrelation, computeLaggedCorrelation, computeMean, computeVariance } from "./support/statistics.ts"

const world = makeWorld("equities")
const { equities } = world
const now = Date.parse("2026-11-20T17:30Z")
const anyStock = fc.constantFrom(...stockSpecs.map(({ symbol }) => symbol))
const anyTime = fc.integer({ min: Date.parse("2023-01-01"), max: Date.parse("2027-12-31") })
const marketOf = (symbol: string) => equities.getStock(symbol)!.market

describe("exchange hours", () => {
  it("contain all bars", () => {
    fc.assert(
      fc.property(anyStock, anyTime, (symbol, time) => {
        const market = marketOf(symbol)
        for (const timeframe of ["15m", "1h"] as const) {
          for (const candle of market.getLastCandles(timeframe, 40, time, true)) {
            const session = lastSession(market.country, candle.time)
            expect(candle.time).toBeGreaterThanOrEqual(session.openAt)
            expect(candle.time).toBeLessThan(session.closeAt)
            expect(candle.time).toBeLessThanOrEqual(time)
          }
        }
      }),
      makePropertyOptions(60)
    )
  })

  it("end with a close that stays the price until the next session", () => {
    const saturday = Date.parse("2026-11-21T18:00Z")
    const friday = sessionOf("US", dayNumber(2026, 11, 20))!
    const market = marketOf("AAPL")
    expect(market.price(saturday)).toBe(market.price(friday.closeAt))
    expect(market.getLastTradeTime(saturday)).toBe(friday.closeAt)
    expect(market.getLastCandles("1d", 1, saturday, false)[0]!.close).toBe(market.price(saturday))
  })
})

describe("hours outside of sessions", () => {
  const friday = sessionOf("US", dayNumber(2026, 11, 20))!
  const monday = sessionOf("US", dayNumber(2026, 11, 23))!

  it("move the price from the close to the next opening", () => {
    const moved: Array<number> = []
    const left: Array<number> = []
    const inEvening: Array<number> = []
    for (const { market, spec } of equities.getStocks("US").slice(0, 40)) {
      const opening = market.price(monday.openAt)
      const { extended, price } = equities.getQuote({ market, spec }, monday.openAt - 1_000)
      expect(extended).toMatchObject({ session: "pre", time: monday.openAt - 1_000 })
      moved.push(Math.log(extended!.price / price) / spec.dailySd)
      // A due dividend lowers the opening price, so a session that opens with a dividend is not compared.
      if (market.actions.every(({ time }) => time !== monday.openAt)) {
        left.push(Math.log(extended!.price / opening) / spec.dailySd)
      }
      const [early, twoHoursAfterClose] = [1, 3].map((hours) => {
        const time = friday.closeAt + hours * hourMs
        const evening = equities.getQuote({ market, spec }, time).extended!
        expect([evening.session, evening.time]).toEqual(["post", time])
        return evening.price
      })
      inEvening.push(Math.log(twoHoursAfterClose! / early!) / spec.dailySd)
    }
    // One second before the opening, the price contains nearly all of the night's variance, which is a quarter of a
    // day's variance.
    expect(computeVariance(moved)).toBeGreaterThan(0.1)
    expect(computeVariance(left)).toBeLessThan(0.01 * computeVariance(moved))
    expect(computeVariance(inEvening)).toBeGreaterThan(0.002)
  })

  it("price in a result at its announcement, in the stock and in the index future", () => {
    const jumps: Array<number> = []
    const expected: Array<number> = []
    for (const { market, spec } of equities.getStocks("US").slice(0, 30)) {
      const key = getValuationKey(world, spec)
      const results = makeResultMoves(spec, key, now)
      const { session, time } = getAnnouncement(spec, key, getLastReportedQuarter(spec, key, now))
      const before = market.getExtendedPrice(time - 1_000)
      jumps.push(Math.log(market.getExtendedPrice(time) / before) / spec.dailySd)
      expected.push((results.getMoveUpTo(time) - results.getMoveUpTo(time - 1_000)) / spec.dailySd)
      // The whole price move occurs at the announcement, so the next session has no further move.
      expect(results.getMoveUpTo(session.closeAt)).toBe(results.getMoveUpTo(time))
    }
    expect(computeCorrelation(jumps, expected)).toBeGreaterThan(0.99)
    const { market: nvda, spec } = equities.getStock("NVDA")!
    const key = getValuationKey(world, spec)
    const { time } = getAnnouncement(spec, key, getLastReportedQuarter(spec, key, now))
    const index = equities.indices.getMarket("NDX")!
    const move = Math.log(nvda.getExtendedPrice(time) / nvda.getExtendedPrice(time - 1_000))
    const share = Math.log(index.getFuturePrice(time) / index.getFuturePrice(time - 1_000)) / move
    expect(share).toBeGreaterThan(0.03)
    expect(share).toBeLessThan(0.6)
  })

  it("are futures sessions, except an hour a day and the weekend", () => {
    const at = (text: string) => new Date(getFuturesSession("US", Date.parse(text)).time).toISOString().slice(0, 16)
    expect(at("2026-11-20T21:30Z")).toBe("2026-11-20T21:30")
    expect(at("2026-11-20T22:30Z")).toBe("2026-11-20T22:00")
    expect(at("2026-11-21T12:00Z")).toBe("2026-11-20T22:00")
    expect(at("2026-11-22T22:59Z")).toBe("2026-11-20T22:00")
    expect(at("2026-11-22T23:00Z")).toBe("2026-11-22T23:00")
    expect(at("2026-11-24T22:20Z")).toBe("2026-11-24T22:00")
    expect(at("2026-07-10T20:59Z")).toBe("2026-07-10T20:59")
    expect(at("2026-07-10T22:00Z")).toBe("2026-07-10T21:00")
    const inSeoul = (text: string) =>
      new Date(getFuturesSession("KR", Date.parse(text)).time).toISOString().slice(0, 16)
    expect(inSeoul("2026-11-20T08:00Z")).toBe("2026-11-20T06:45")
    expect(inSeoul("2026-11-20T15:00Z")).toBe("2026-11-20T15:00")
    expect(inSeoul("2026-11-22T12:00Z")).toBe("2026-11-20T21:00")
    const saturday = equities.getMarketSummary("US", Date.parse("2026-11-21T12:00Z"))
    expect(equities.getMarketSummary("US", Date.parse("2026-11-22T12:00Z"))).toEqual(saturday)
    expect(saturday.futures.every(({ time }) => time === Date.parse("2026-11-20T22:00Z"))).toBe(true)
  })
})

describe("listed and delisted stocks", () => {
  it.runIf(isFullRun)("have no previous close in their first session, and leave the lists after their last one", () => {
    const { market, spec } = equities.getStock("RDDT")!
    const first = sessionOf("US", dayNumber(2024, 3, 21))!
    expect(market.listedAt).toBe(first.openAt)
    const quote = equities.getQuote({ market, spec }, first.closeAt)
    expect([quote.previousClose, quote.changePct]).toEqual([null, null])
    expect(quote.low52w).toBe(market.getLastCandles("1d", 9, first.closeAt, false)[0]!.low)
    const second = equities.getQuote({ market, spec }, first.closeAt + dayMs)
    expect(second.previousClose).toBe(quote.price)
    for (const day of [first, sessionOf("US", dayNumber(2024, 3, 22))!]) {
      const { breadth } = equities.getMarketSummary("US", day.closeAt)
      const counted = breadth.advancing + breadth.declining + breadth.unchanged
      expect(counted).toBe(equities.getTradedStocks("US", day.closeAt).length - (day === first ? 1 : 0))
    }
    const delistedStock = equities.getStock("TWTR")!
    expect(delistedStock.market.delistedAt).toBe(sessionOf("US", dayNumber(2022, 10, 27))!.closeAt)
    expect(equities.getTradedStocks("US", now)).not.toContain(delistedStock)
    expect(delistedStock.market.price(now)).toBe(delistedStock.market.price(delistedStock.market.delistedAt!))
  })
})

describe("bars of stocks", () => {
  const sum = (parts: ReadonlyArray<Candle>): Candle => {
    const [first, ...rest] = parts
    return mergeCandles(first!.time, [first!, ...rest], parts.at(-1)!.closed)
  }

  it("equal their merged parts: days the 15m and 1h bars, weeks the days", () => {
    fc.assert(
      fc.property(anyStock, anyTime, (symbol, time) => {
        const market = marketOf(symbol)
        const session = lastSession(market.country, time)
        fc.pre(session.closeAt > market.listedAt)
        const [day] = market.getLastCandles("1d", 1, session.closeAt, true)
        for (const timeframe of ["15m", "1h"] as const) {
          const parts = market.getLastCandles(timeframe, 30, session.closeAt, true).filter((bar) =>
            bar.time >= session.openAt
          )
          expect(sum(parts)).toEqual(day)
        }
        const week = market.getLastCandles("1w", 2, session.closeAt, true)[0]!
        const days = market.getLastCandles("1d", 15, session.closeAt, true)
          .filter((bar) => bucketStart("1w", bar.time) === bucketStart("1w", week.time))
        expect(sum(days)).toEqual(week)
      }),
      makePropertyOptions(60)
    )
  })

  it("have gaps between sessions that are smaller than the moves within sessions", () => {
    const days = marketOf("MSFT").getLastCandles("1d", 500, now, true)
    const gaps = days.slice(1).map((day, i) => Math.log(day.open / days[i]!.close))
    const dayReturns = days.map((day) => Math.log(day.close / day.open))
    expect(gaps.filter((gap) => gap !== 0).length).toBeGreaterThan(450)
    expect(computeVariance(gaps)).toBeLessThan(computeVariance(dayReturns) * 0.9)
    expect(computeVariance(gaps)).toBeGreaterThan(computeVariance(dayReturns) * 0.1)
  })

  it("are continuous across splits if adjusted, and jump by the split ratio if not", () => {
    let jumpCount = 0
    for (const { symbol, country } of stockSpecs) {
      const market = marketOf(symbol)
      for (
        const { time, ratio } of market.actions.filter(({ ratio, time }) =>
          ratio > 1 && time > Date.parse("2021-01-01") && time < now
        )
      ) {
        const after = lastSession(country, time)
        const before = previousSession(country, after.day)
        const raw = market.price(before.closeAt) / market.price(after.openAt)
        const [last, first] = market.getLastCandles("1d", 2, after.closeAt, true)
        expect(raw / ratio).toBeGreaterThan(0.85)
        expect(raw / ratio).toBeLessThan(1.15)
        expect(Math.abs(Math.log(first!.open / last!.close))).toBeLessThan(0.15)
        expect(market.getPreviousClose(after.openAt)! * ratio / market.price(before.closeAt)).toBeCloseTo(1, 3)
        jumpCount++
      }
    }
    expect(jumpCount).toBeGreaterThan(5)
  })

  it("are multiples of the tick size: a cent, or the tick of KRX's table", () => {
    for (const { symbol, country } of stockSpecs) {
      const price = marketOf(symbol).price(now)
      if (country === "US") expect(Math.abs(price * 100 - Math.round(price * 100))).toBeLessThan(1e-6)
      else {expect(
          price % (price < 2_000
            ? 1
            : price < 5_000
            ? 5
            : price < 20_000
            ? 10
            : price < 50_000
            ? 50
            : price < 200_000
            ? 100
            : price < 500_000
            ? 500
            : 1_000)
        ).toBe(0)}
    }
  })
})

describe("stocks and their indices", () => {
  const returnsOf = (market: EquityMarket, bars = 750): Array<number> => {
    const days = market.getLastCandles("1d", bars, now, true)
    return days.slice(1).map((day, i) => Math.log(day.close / days[i]!.close))
  }
  const returns = (symbol: string) => returnsOf(equities.indices.getMarket(symbol) ?? marketOf(symbol), 250)

  it.runIf(isFullRun)("correlate with their index, and more within a sector than across sectors", () => {
    expect(computeCorrelation(returns("SPX"), returns("MSFT"))).toBeGreaterThan(0.45)
    const within = computeMean([
      computeCorrelation(returns("JPM"), returns("BAC")),
      computeCorrelation(returns("XOM"), returns("CVX"))
    ])
    const acrossSectors = computeMean([
      computeCorrelation(returns("JPM"), returns("XOM")),
      computeCorrelation(returns("BAC"), returns("CVX"))
    ])
    expect(within).toBeGreaterThan(acrossSectors + 0.05)
  })

  it("raise the volatility index when they fall", () => {
    const vix = equities.indices.getHistory("VIX", 250, now)!
    const spx = equities.indices.getHistory("SPX", 250, now)!
    const change = (bars: ReadonlyArray<Candle>) => bars.slice(1).map((bar, i) => Math.log(bar.close / bars[i]!.close))
    expect(computeCorrelation(change(vix), change(spx))).toBeLessThan(-0.3)
    expect(computeMean(vix.map(({ close }) => close))).toBeGreaterThan(12)
    expect(computeMean(vix.map(({ close }) => close))).toBeLessThan(28)
  })

  it.runIf(isFullRun)("become more volatile after falls (leverage effect)", () => {
    const worlds = [1, 2, 3, 4].map((seed) => makeWorld(seed))
    const effect = computeMean(
      worlds.flatMap((world) =>
        ["AAPL", "005930", "XOM", "JPM", "TSLA", "MSFT"].map((symbol) => {
          const r = returnsOf(world.equities.getStock(symbol)!.market)
          return computeMean([1, 2, 3].map((lag) => computeLaggedCorrelation(r, r.map(Math.abs), lag)))
        })
      )
    )
    expect(effect).toBeLessThan(0)
  })

  it("add up to their index: weighted prices over a divisor, within and outside of sessions", () => {
    for (const spec of indexSpecs) {
      const index = equities.indices.getMarket(spec.index)!
      const members = equities.getStocks(spec.country).filter(({ spec: stock }) => isMember(spec, stock))
      const sum = (priceOf: (market: EquityMarket) => number): number =>
        members.reduce(
          (total, { market, spec: { shares } }) => total + (spec.weighting === "price" ? 1 : shares) * priceOf(market),
          0
        )
      const path = (time: number) => sum((market) => Math.exp(market.getLogPrice(time)))
      const session = lastSession(spec.country, now - dayMs)
      const earlier = lastSession(spec.country, now - 500 * dayMs)
      const divisor = path(earlier.closeAt) / Math.exp(index.getLogPrice(earlier.closeAt))
      const step = 5 * minuteMs
      for (let time = session.openAt - 3 * hourMs; time <= session.closeAt + 2 * hourMs; time += step) {
        expect(Math.abs(path(time) / Math.exp(index.getLogPrice(time)) / divisor - 1)).toBeLessThan(1e-9)
        if (time < session.openAt || time > session.closeAt) continue
        // The published index value is rounded to the cent.
        expect(Math.abs(path(time) / index.price(time) / divisor - 1)).toBeLessThan(1e-5)
      }
      // The published prices of the members are rounded to ticks, which are large in Seoul.
      const marketValue = sum((market) => market.price(session.closeAt) * market.getShareFactor(session.closeAt))
      const tolerance = spec.country === "US" ? 1e-4 : 1e-3
      expect(Math.abs(marketValue / index.price(session.closeAt) / divisor - 1)).toBeLessThan(tolerance)
      // Between two calculations, the index keeps its last value, but the future follows the current prices of the
      // members.
      const noon = session.openAt + 3 * hourMs + 2 * minuteMs
      expect(index.getLastTradeTime(noon)).toBe(noon - 2 * minuteMs)
      expect(index.price(noon)).toBe(index.price(noon - 2 * minuteMs))
      const carry = index.getFuturePrice(noon) / Math.exp(index.getLogPrice(noon))
      expect(Math.abs(carry - 1)).toBeLessThan(1e-4)
      expect(Math.abs(path(noon) / Math.exp(index.getLogPrice(noon)) / divisor - 1)).toBeLessThan(1e-9)
    }
  })

  it("have indices whose candles contain the index value, and whose extremes only widen in a session", () => {
    const index = equities.indices.getMarket("NDX")!
    const { closeAt, openAt } = lastSession("US", now - dayMs)
    let before = { high: 0, low: Infinity }
    for (let time = openAt + 7 * minuteMs; time <= closeAt; time += 13 * minuteMs + 700) {
      const [day] = index.getLastCandles("1d", 1, time, true)
      const [quarter] = index.getLastCandles("15m", 1, time, true)
      for (const candle of [day!, quarter!]) {
        expect(candle.close).toBe(index.price(time))
        expect(candle.high).toBeGreaterThanOrEqual(candle.close)
        expect(candle.low).toBeLessThanOrEqual(candle.close)
      }
      expect(day!.high).toBeGreaterThanOrEqual(before.high)
      expect(day!.low).toBeLessThanOrEqual(before.low)
      before = day!
    }
  })

  it.runIf(isFullRun)("move more on days of results than on other days, by the factor that options imply", () => {
    const moves: { readonly [Day in "results" | "others"]: Array<number> } = { results: [], others: [] }
    for (const { market, spec } of equities.getStocks("US").slice(0, 20)) {
      const results = makeResultMoves(spec, getValuationKey(world, spec), now)
      const days = market.getLastCandles("1d", 750, now, true)
      for (const [i, day] of days.slice(1).entries()) {
        const squared = (Math.log(day.close / days[i]!.close) / spec.dailySd) ** 2
        moves[results.isFirstSessionAfterResult(day.time) ? "results" : "others"].push(squared)
      }
    }
    expect(moves.results.length).toBeGreaterThan(200)
    const ratio = computeMean(moves.results) / computeMean(moves.others)
    expect(ratio).toBeGreaterThan(4.5)
    expect(ratio).toBeLessThan(9.5)
  })

  it("have 52-week extremes adjusted for splits and not for dividends", () => {
    for (
      const { market, spec } of [...equities.getStocks("US").slice(0, 15), ...equities.getStocks("KR").slice(0, 10)]
    ) {
      const quote = equities.getQuote({ market, spec }, now)
      let low = Infinity
      let high = -Infinity
      for (const day of market.getLastCandles("1d", 252, now, false)) {
        const shares = market.getShareFactor(day.time) / market.getShareFactor(now)
        low = Math.min(low, day.low * shares)
        high = Math.max(high, day.high * shares)
      }
      expect(quote.low52w).toBe(low)
      expect(quote.high52w).toBe(high)
    }
  })

  it("add up in breadth, sectors and quotes", () => {
    for (const country of ["US", "KR"] as const) {
      const summary = equities.getMarketSummary(country, now)
      const { advancing, declining, unchanged } = summary.breadth
      expect(advancing + declining + unchanged).toBe(equities.getTradedStocks(country, now).length)
      expect(summary.sectors.length).toBeGreaterThan(5)
      expect(summary.time).toBeLessThanOrEqual(now)
    }
    const quote = equities.getQuote(equities.getStock("NVDA")!, now)
    expect(quote.low52w).toBeLessThanOrEqual(quote.price)
    expect(quote.high52w).toBeGreaterThanOrEqual(quote.price)
    expect(quote.session).toBe("regular")
    expect(now - quote.time).toBeLessThan(minuteMs)
    expect(quote.changePct).toBeCloseTo(100 * (quote.price / quote.previousClose! - 1), 9)
    expect(now - lastSession("US", now).openAt).toBeLessThan(7 * hourMs)
  })
})
