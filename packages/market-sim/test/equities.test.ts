import { addUp, bucketStart, type Candle, dayMs, hourMs, minuteMs } from "@tapeline/core/market"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  dayNumber,
  isTradingDay,
  lastSession,
  previousSession,
  sessionOf,
  sessionState,
  weekday
} from "../src/exchangeHours.ts"
import { stockSpecs } from "../src/stocks.ts"
import { makeWorld } from "../src/world.ts"
import { property } from "./support/counts.ts"
import { correlation, lagged, mean, variance } from "./support/statistics.ts"

const world = makeWorld("equities")
const { equities } = world
const now = Date.parse("2026-11-20T17:30Z")
const anyStock = fc.constantFrom(...stockSpecs.map(({ symbol }) => symbol))
const anyTime = fc.integer({ min: Date.parse("2023-01-01"), max: Date.parse("2027-12-31") })
const marketOf = (symbol: string) => equities.stock(symbol)!.market

/** Weekdays of a year on which an exchange is closed, as `MM-DD`. */
const holidays = (country: "US" | "KR", year: number): string => {
  const found: Array<string> = []
  for (let day = dayNumber(year, 1, 1); day <= dayNumber(year, 12, 31); day++) {
    if (weekday(day) % 6 !== 0 && !isTradingDay(country, day)) {
      found.push(new Date(day * dayMs).toISOString().slice(5, 10))
    }
  }
  return found.join(" ")
}

describe("exchange hours", () => {
  it("know the published holidays of New York", () => {
    expect(holidays("US", 2022)).toBe("01-17 02-21 04-15 05-30 06-20 07-04 09-05 11-24 12-26")
    expect(holidays("US", 2024)).toBe("01-01 01-15 02-19 03-29 05-27 06-19 07-04 09-02 11-28 12-25")
    expect(holidays("US", 2026)).toBe("01-01 01-19 02-16 04-03 05-25 06-19 07-03 09-07 11-26 12-25")
  })

  it("know the published holidays of Seoul", () => {
    // Left out by design: the election of 2024-04-10 and the one-off holiday of 2024-10-01.
    expect(holidays("KR", 2024)).toBe(
      "01-01 02-09 02-12 03-01 05-01 05-06 05-15 06-06 08-15 09-16 09-17 09-18 10-03 10-09 12-25 12-31"
    )
    expect(holidays("KR", 2026)).toBe(
      "01-01 02-16 02-17 02-18 03-02 05-01 05-05 05-25 08-17 09-24 09-25 10-05 10-09 12-25 12-31"
    )
  })

  it("follow daylight saving time, short days and the Korean year's first morning", () => {
    const session = (country: "US" | "KR", year: number, month: number, date: number) => {
      const found = sessionOf(country, dayNumber(year, month, date))!
      return [found.openAt, found.closeAt].map((time) => new Date(time).toISOString().slice(11, 16)).join(" ")
    }
    expect(session("US", 2026, 3, 6)).toBe("14:30 21:00")
    expect(session("US", 2026, 3, 9)).toBe("13:30 20:00")
    expect(session("US", 2026, 10, 30)).toBe("13:30 20:00")
    expect(session("US", 2026, 11, 2)).toBe("14:30 21:00")
    expect(session("US", 2026, 11, 27)).toBe("14:30 18:00")
    expect(session("US", 2026, 12, 24)).toBe("14:30 18:00")
    expect(session("KR", 2026, 11, 20)).toBe("00:00 06:30")
    expect(session("KR", 2026, 1, 2)).toBe("01:00 06:30")
  })

  it("tell the state of a session", () => {
    const at = (text: string) => sessionState("US", Date.parse(text))
    expect(at("2026-11-20T13:00Z")).toBe("pre")
    expect(at("2026-11-20T14:30Z")).toBe("regular")
    expect(at("2026-11-20T21:00Z")).toBe("post")
    expect(at("2026-11-21T18:00Z")).toBe("closed")
    expect(sessionState("KR", Date.parse("2026-11-20T03:00Z"))).toBe("regular")
    expect(sessionState("KR", Date.parse("2026-11-20T07:00Z"))).toBe("closed")
  })

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
        expect(market.previousClose(after.openAt) * ratio / market.price(before.closeAt)).toBeCloseTo(1, 3)
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
  const returns = (symbol: string): Array<number> => {
    const days = (equities.index(symbol) ?? marketOf(symbol)).lastCandles("1d", 750, now, true)
    return days.slice(1).map((day, i) => Math.log(day.close / days[i]!.close))
  }

  it("move with their index, more so within a sector", () => {
    expect(correlation(returns("SPX"), returns("MSFT"))).toBeGreaterThan(0.45)
    const within = mean([correlation(returns("JPM"), returns("BAC")), correlation(returns("XOM"), returns("CVX"))])
    const across = mean([correlation(returns("JPM"), returns("XOM")), correlation(returns("BAC"), returns("CVX"))])
    expect(within).toBeGreaterThan(across + 0.05)
  })

  it("frighten the volatility index when they fall", () => {
    const vix = equities.indexHistory("VIX", 500, now)!
    const spx = equities.indexHistory("SPX", 500, now)!
    const change = (bars: ReadonlyArray<Candle>) => bars.slice(1).map((bar, i) => Math.log(bar.close / bars[i]!.close))
    expect(correlation(change(vix), change(spx))).toBeLessThan(-0.3)
    expect(mean(vix.map(({ close }) => close))).toBeGreaterThan(12)
    expect(mean(vix.map(({ close }) => close))).toBeLessThan(28)
  })

  it("lean against what fell: volatility follows falls (leverage effect)", () => {
    const effect = mean(["SPX", "NDX", "KOSPI", "AAPL", "005930", "XOM"].map((symbol) => {
      const r = returns(symbol)
      return mean([1, 2, 3].map((lag) => lagged(r, r.map(Math.abs), lag)))
    }))
    expect(effect).toBeLessThan(0)
  })

  it("are summed up in breadth, sectors and quotes", () => {
    for (const country of ["US", "KR"] as const) {
      const summary = equities.summary(country, now)
      const { advancing, declining, unchanged } = summary.breadth
      expect(advancing + declining + unchanged).toBe(60)
      expect(summary.sectors.length).toBeGreaterThan(5)
      expect(summary.time).toBeLessThanOrEqual(now)
    }
    const quote = equities.quote(equities.stock("NVDA")!, now)
    expect(quote.low52w).toBeLessThanOrEqual(quote.price)
    expect(quote.high52w).toBeGreaterThanOrEqual(quote.price)
    expect(quote.session).toBe("regular")
    expect(now - quote.time).toBeLessThan(minuteMs)
    expect(quote.changePct).toBeCloseTo(100 * (quote.price / quote.previousClose - 1), 9)
    expect(now - lastSession("US", now).openAt).toBeLessThan(7 * hourMs)
  })
})
