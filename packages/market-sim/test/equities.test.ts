import {
  addUp,
  bucketStart,
  type Candle,
  dayMs,
  dayNumber,
  hourMs,
  lastSession,
  minuteMs,
  previousSession,
  sessionOf
} from "@tapeline/core/market"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { EquityMarket } from "../src/equity/EquityMarket.ts"
import { announcementOf, lastReported } from "../src/equity/facts/fiscal.ts"
import { resultMoves } from "../src/equity/facts/results.ts"
import { valuationKey } from "../src/equity/facts/statements.ts"
import { futuresSession } from "../src/equity/futureHours.ts"
import { indexSpecs, isMember, stockSpecs } from "../src/equity/stocks.ts"
import { makeWorld } from "../src/world.ts"
import { property } from "./support/counts.ts"
import { correlation, lagged, mean, variance } from "./support/statistics.ts"

const world = makeWorld("equities")
const { equities } = world
const now = Date.parse("2026-11-20T17:30Z")
const anyStock = fc.constantFrom(...stockSpecs.map(({ symbol }) => symbol))
const anyTime = fc.integer({ min: Date.parse("2023-01-01"), max: Date.parse("2027-12-31") })
const marketOf = (symbol: string) => equities.stock(symbol)!.market

describe("exchange hours", () => {
  it("are the only times with bars", () => {
    fc.assert(
      fc.property(anyStock, anyTime, (symbol, time) => {
        const market = marketOf(symbol)
        for (const timeframe of ["15m", "1h"] as const) {
          for (const candle of market.lastCandles(timeframe, 40, time, true)) {
            const session = lastSession(market.country, candle.time)
            expect(candle.time).toBeGreaterThanOrEqual(session.openAt)
            expect(candle.time).toBeLessThan(session.closeAt)
            expect(candle.time).toBeLessThanOrEqual(time)
          }
        }
      }),
      property(60)
    )
  })

  it("leave the price where the last session closed it", () => {
    const saturday = Date.parse("2026-11-21T18:00Z")
    const friday = sessionOf("US", dayNumber(2026, 11, 20))!
    const market = marketOf("AAPL")
    expect(market.price(saturday)).toBe(market.price(friday.closeAt))
    expect(market.lastTradeAt(saturday)).toBe(friday.closeAt)
    expect(market.lastCandles("1d", 1, saturday, false)[0]!.close).toBe(market.price(saturday))
  })
})

describe("hours outside of sessions", () => {
  const friday = sessionOf("US", dayNumber(2026, 11, 20))!
  const monday = sessionOf("US", dayNumber(2026, 11, 23))!

  it("lead from the close to the opening: prices before a session end where it begins", () => {
    const moved: Array<number> = []
    const left: Array<number> = []
    const inEvening: Array<number> = []
    for (const { market, spec } of equities.listed("US").slice(0, 40)) {
      const opening = market.price(monday.openAt)
      const { extended, price } = equities.quote({ market, spec }, monday.openAt - 1_000)
      expect(extended).toMatchObject({ session: "pre", time: monday.openAt - 1_000 })
      moved.push(Math.log(extended!.price / price) / spec.dailySd)
      // If a dividend is due, the opening price is without it.
      if (market.actions.every(({ time }) => time !== monday.openAt)) {
        left.push(Math.log(extended!.price / opening) / spec.dailySd)
      }
      const [early, late] = [1, 3].map((hours) => {
        const time = friday.closeAt + hours * hourMs
        const evening = equities.quote({ market, spec }, time).extended!
        expect([evening.session, evening.time]).toEqual(["post", time])
        return evening.price
      })
      inEvening.push(Math.log(late! / early!) / spec.dailySd)
    }
    // A night has about a quarter of a day's variance. One second before the opening, prices contain nearly all of it.
    expect(variance(moved)).toBeGreaterThan(0.1)
    expect(variance(left)).toBeLessThan(0.01 * variance(moved))
    expect(variance(inEvening)).toBeGreaterThan(0.002)
  })

  it("take in a result at its announcement: a stock after hours, the index's future with it", () => {
    const jumps: Array<number> = []
    const expected: Array<number> = []
    for (const { market, spec } of equities.listed("US").slice(0, 30)) {
      const key = valuationKey(world, spec)
      const results = resultMoves(spec, key, now)
      const { session, time } = announcementOf(spec, key, lastReported(spec, key, now))
      const before = market.extendedPrice(time - 1_000)
      jumps.push(Math.log(market.extendedPrice(time) / before) / spec.dailySd)
      expected.push((results.upTo(time) - results.upTo(time - 1_000)) / spec.dailySd)
      // The move is complete at the announcement, so nothing is left for the session.
      expect(results.upTo(session.closeAt)).toBe(results.upTo(time))
    }
    expect(correlation(jumps, expected)).toBeGreaterThan(0.99)
    const { market: nvda, spec } = equities.stock("NVDA")!
    const key = valuationKey(world, spec)
    const { time } = announcementOf(spec, key, lastReported(spec, key, now))
    const index = equities.indices.market("NDX")!
    const move = Math.log(nvda.extendedPrice(time) / nvda.extendedPrice(time - 1_000))
    const share = Math.log(index.futurePrice(time) / index.futurePrice(time - 1_000)) / move
    expect(share).toBeGreaterThan(0.03)
    expect(share).toBeLessThan(0.6)
  })

  it("are the futures' own: an hour's rest a day, and the weekend", () => {
    const at = (text: string) => new Date(futuresSession("US", Date.parse(text)).time).toISOString().slice(0, 16)
    expect(at("2026-11-20T21:30Z")).toBe("2026-11-20T21:30")
    expect(at("2026-11-20T22:30Z")).toBe("2026-11-20T22:00")
    expect(at("2026-11-21T12:00Z")).toBe("2026-11-20T22:00")
    expect(at("2026-11-22T22:59Z")).toBe("2026-11-20T22:00")
    expect(at("2026-11-22T23:00Z")).toBe("2026-11-22T23:00")
    expect(at("2026-11-24T22:20Z")).toBe("2026-11-24T22:00")
    expect(at("2026-07-10T20:59Z")).toBe("2026-07-10T20:59")
    expect(at("2026-07-10T22:00Z")).toBe("2026-07-10T21:00")
    const inSeoul = (text: string) => new Date(futuresSession("KR", Date.parse(text)).time).toISOString().slice(0, 16)
    expect(inSeoul("2026-11-20T08:00Z")).toBe("2026-11-20T06:45")
    expect(inSeoul("2026-11-20T15:00Z")).toBe("2026-11-20T15:00")
    expect(inSeoul("2026-11-22T12:00Z")).toBe("2026-11-20T21:00")
    const saturday = equities.summary("US", Date.parse("2026-11-21T12:00Z"))
    expect(equities.summary("US", Date.parse("2026-11-22T12:00Z"))).toEqual(saturday)
    expect(saturday.futures.every(({ time }) => time === Date.parse("2026-11-20T22:00Z"))).toBe(true)
  })
})

describe("stocks that come and go", () => {
  it("have nothing to compare a first session with, and leave the lists after their last", () => {
    const { market, spec } = equities.stock("RDDT")!
    const first = sessionOf("US", dayNumber(2024, 3, 21))!
    expect(market.listedAt).toBe(first.openAt)
    const quote = equities.quote({ market, spec }, first.closeAt)
    expect([quote.previousClose, quote.changePct]).toEqual([null, null])
    expect(quote.low52w).toBe(market.lastCandles("1d", 9, first.closeAt, false)[0]!.low)
    const second = equities.quote({ market, spec }, first.closeAt + dayMs)
    expect(second.previousClose).toBe(quote.price)
    for (const day of [first, sessionOf("US", dayNumber(2024, 3, 22))!]) {
      const { breadth } = equities.summary("US", day.closeAt)
      const counted = breadth.advancing + breadth.declining + breadth.unchanged
      expect(counted).toBe(equities.trading("US", day.closeAt).length - (day === first ? 1 : 0))
    }
    const gone = equities.stock("TWTR")!
    expect(gone.market.delistedAt).toBe(sessionOf("US", dayNumber(2022, 10, 27))!.closeAt)
    expect(equities.trading("US", now)).not.toContain(gone)
    expect(gone.market.price(now)).toBe(gone.market.price(gone.market.delistedAt!))
  })
})

describe("bars of stocks", () => {
  const sum = (parts: ReadonlyArray<Candle>): Candle => {
    const [first, ...rest] = parts
    return addUp(first!.time, [first!, ...rest], parts.at(-1)!.closed)
  }

  it("of a day are its shorter ones added up, of a week its days", () => {
    fc.assert(
      fc.property(anyStock, anyTime, (symbol, time) => {
        const market = marketOf(symbol)
        const session = lastSession(market.country, time)
        fc.pre(session.closeAt > market.listedAt)
        const [day] = market.lastCandles("1d", 1, session.closeAt, true)
        for (const timeframe of ["15m", "1h"] as const) {
          const parts = market.lastCandles(timeframe, 30, session.closeAt, true).filter((bar) =>
            bar.time >= session.openAt
          )
          expect(sum(parts)).toEqual(day)
        }
        const week = market.lastCandles("1w", 2, session.closeAt, true)[0]!
        const days = market.lastCandles("1d", 15, session.closeAt, true)
          .filter((bar) => bucketStart("1w", bar.time) === bucketStart("1w", week.time))
        expect(sum(days)).toEqual(week)
      }),
      property(60)
    )
  })

  it("leave gaps between sessions, small beside the sessions", () => {
    const days = marketOf("MSFT").lastCandles("1d", 500, now, true)
    const gaps = days.slice(1).map((day, i) => Math.log(day.open / days[i]!.close))
    const inside = days.map((day) => Math.log(day.close / day.open))
    expect(gaps.filter((gap) => gap !== 0).length).toBeGreaterThan(450)
    expect(variance(gaps)).toBeLessThan(variance(inside) * 0.9)
    expect(variance(gaps)).toBeGreaterThan(variance(inside) * 0.1)
  })

  it("are continuous through splits when adjusted, and break in proportion when not", () => {
    let seen = 0
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
        const [last, first] = market.lastCandles("1d", 2, after.closeAt, true)
        expect(raw / ratio).toBeGreaterThan(0.85)
        expect(raw / ratio).toBeLessThan(1.15)
        expect(Math.abs(Math.log(first!.open / last!.close))).toBeLessThan(0.15)
        expect(market.previousClose(after.openAt)! * ratio / market.price(before.closeAt)).toBeCloseTo(1, 3)
        seen++
      }
    }
    expect(seen).toBeGreaterThan(5)
  })

  it("are in ticks: cents, or KRX's table", () => {
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

describe("stocks together", () => {
  const returnsOf = (market: EquityMarket, bars = 750): Array<number> => {
    const days = market.lastCandles("1d", bars, now, true)
    return days.slice(1).map((day, i) => Math.log(day.close / days[i]!.close))
  }
  const returns = (symbol: string) => returnsOf(equities.indices.market(symbol) ?? marketOf(symbol), 250)

  it("move with their index, more so within a sector", () => {
    expect(correlation(returns("SPX"), returns("MSFT"))).toBeGreaterThan(0.45)
    const within = mean([correlation(returns("JPM"), returns("BAC")), correlation(returns("XOM"), returns("CVX"))])
    const across = mean([correlation(returns("JPM"), returns("XOM")), correlation(returns("BAC"), returns("CVX"))])
    expect(within).toBeGreaterThan(across + 0.05)
  })

  it("frighten the volatility index when they fall", () => {
    const vix = equities.indices.history("VIX", 250, now)!
    const spx = equities.indices.history("SPX", 250, now)!
    const change = (bars: ReadonlyArray<Candle>) => bars.slice(1).map((bar, i) => Math.log(bar.close / bars[i]!.close))
    expect(correlation(change(vix), change(spx))).toBeLessThan(-0.3)
    expect(mean(vix.map(({ close }) => close))).toBeGreaterThan(12)
    expect(mean(vix.map(({ close }) => close))).toBeLessThan(28)
  })

  it("lean against what fell: volatility follows falls (leverage effect)", () => {
    const worlds = [1, 2, 3, 4].map((seed) => makeWorld(seed))
    const effect = mean(
      worlds.flatMap((world) =>
        ["AAPL", "005930", "XOM", "JPM", "TSLA", "MSFT"].map((symbol) => {
          const r = returnsOf(world.equities.stock(symbol)!.market)
          return mean([1, 2, 3].map((lag) => lagged(r, r.map(Math.abs), lag)))
        })
      )
    )
    expect(effect).toBeLessThan(0)
  })

  it("make their indices: weights times prices over a divisor, at every five minutes of a session and all night", () => {
    for (const spec of indexSpecs) {
      const index = equities.indices.market(spec.index)!
      const members = equities.listed(spec.country).filter(({ spec: stock }) => isMember(spec, stock))
      const sum = (priceOf: (market: EquityMarket) => number): number =>
        members.reduce(
          (total, { market, spec: { shares } }) => total + (spec.weighting === "price" ? 1 : shares) * priceOf(market),
          0
        )
      const path = (time: number) => sum((market) => Math.exp(market.pathAt(time)))
      const session = lastSession(spec.country, now - dayMs)
      const earlier = lastSession(spec.country, now - 500 * dayMs)
      const divisor = path(earlier.closeAt) / Math.exp(index.pathAt(earlier.closeAt))
      const step = 5 * minuteMs
      for (let time = session.openAt - 3 * hourMs; time <= session.closeAt + 2 * hourMs; time += step) {
        expect(Math.abs(path(time) / Math.exp(index.pathAt(time)) / divisor - 1)).toBeLessThan(1e-9)
        if (time < session.openAt || time > session.closeAt) continue
        // The shown value is rounded to the cent.
        expect(Math.abs(path(time) / index.price(time) / divisor - 1)).toBeLessThan(1e-5)
      }
      // Shown prices are rounded: members to their ticks, which are coarse in Seoul.
      const shown = sum((market) => market.price(session.closeAt) * market.shareFactor(session.closeAt))
      const tolerance = spec.country === "US" ? 1e-4 : 1e-3
      expect(Math.abs(shown / index.price(session.closeAt) / divisor - 1)).toBeLessThan(tolerance)
      // Between two calculations, an index keeps its last value and time. A future uses the sum of the current minute.
      const noon = session.openAt + 3 * hourMs + 2 * minuteMs
      expect(index.lastTradeAt(noon)).toBe(noon - 2 * minuteMs)
      expect(index.price(noon)).toBe(index.price(noon - 2 * minuteMs))
      const carry = index.futurePrice(noon) / Math.exp(index.pathAt(noon))
      expect(Math.abs(carry - 1)).toBeLessThan(1e-4)
      expect(Math.abs(path(noon) / Math.exp(index.pathAt(noon)) / divisor - 1)).toBeLessThan(1e-9)
    }
  })

  it("have indices whose candles hold their values, and never give up an extreme", () => {
    const index = equities.indices.market("NDX")!
    const { closeAt, openAt } = lastSession("US", now - dayMs)
    let before = { high: 0, low: Infinity }
    for (let time = openAt + 7 * minuteMs; time <= closeAt; time += 13 * minuteMs + 700) {
      const [day] = index.lastCandles("1d", 1, time, true)
      const [quarter] = index.lastCandles("15m", 1, time, true)
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

  it("move more on the days of their results than on others, by what options expect", () => {
    const moves: { readonly [Day in "results" | "others"]: Array<number> } = { results: [], others: [] }
    for (const { market, spec } of equities.listed("US").slice(0, 20)) {
      const results = resultMoves(spec, valuationKey(world, spec), now)
      const days = market.lastCandles("1d", 750, now, true)
      for (const [i, day] of days.slice(1).entries()) {
        const squared = (Math.log(day.close / days[i]!.close) / spec.dailySd) ** 2
        moves[results.opens(day.time) ? "results" : "others"].push(squared)
      }
    }
    expect(moves.results.length).toBeGreaterThan(200)
    const ratio = mean(moves.results) / mean(moves.others)
    expect(ratio).toBeGreaterThan(4.5)
    expect(ratio).toBeLessThan(9.5)
  })

  it("have a year's extremes as traded: splits count, dividends do not", () => {
    for (const { market, spec } of [...equities.listed("US").slice(0, 15), ...equities.listed("KR").slice(0, 10)]) {
      const quote = equities.quote({ market, spec }, now)
      let low = Infinity
      let high = -Infinity
      for (const day of market.lastCandles("1d", 252, now, false)) {
        const shares = market.shareFactor(day.time) / market.shareFactor(now)
        low = Math.min(low, day.low * shares)
        high = Math.max(high, day.high * shares)
      }
      expect(quote.low52w).toBe(low)
      expect(quote.high52w).toBe(high)
    }
  })

  it("are summed up in breadth, sectors and quotes", () => {
    for (const country of ["US", "KR"] as const) {
      const summary = equities.summary(country, now)
      const { advancing, declining, unchanged } = summary.breadth
      expect(advancing + declining + unchanged).toBe(equities.trading(country, now).length)
      expect(summary.sectors.length).toBeGreaterThan(5)
      expect(summary.time).toBeLessThanOrEqual(now)
    }
    const quote = equities.quote(equities.stock("NVDA")!, now)
    expect(quote.low52w).toBeLessThanOrEqual(quote.price)
    expect(quote.high52w).toBeGreaterThanOrEqual(quote.price)
    expect(quote.session).toBe("regular")
    expect(now - quote.time).toBeLessThan(minuteMs)
    expect(quote.changePct).toBeCloseTo(100 * (quote.price / quote.previousClose! - 1), 9)
    expect(now - lastSession("US", now).openAt).toBeLessThan(7 * hourMs)
  })
})
