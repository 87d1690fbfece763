import { dayMs, hourMs } from "@tapeline/core/market"
import { impliedVolatility76, ivAtMaturity, ivAtStrike } from "@tapeline/quant/options"
import { isFullRun } from "@tapeline/testing/fullRun"
import { expect, test } from "vitest"
import { yearMs } from "../../src/options/surface.ts"
import { coinsWithOptions } from "../../src/options/underlying.ts"
import { makeWorld } from "../../src/world.ts"
import { makeOptions } from "./support.ts"

const now = Date.parse("2026-09-16T09:41:17Z")
const seed = 7
const world = makeWorld(seed)

test.each(coinsWithOptions)("%s: every quote satisfies put-call parity, order and no-arbitrage bounds", (coin) => {
  const { book } = makeOptions(world, coin)
  for (let i = 0; i < (isFullRun ? 60 : 3); i++) {
    const chain = book.chain(now - i * 5.3 * dayMs)!
    expect(chain.expiries.length).toBeGreaterThanOrEqual(10)
    for (const { expiryAt, forward, quotes } of chain.expiries) {
      expect(expiryAt).toBeGreaterThan(chain.time)
      expect(Math.abs(forward / chain.spot - 1)).toBeLessThan(0.25)
      for (let q = 0; q < quotes.length; q += 2) {
        const call = quotes[q]!
        const put = quotes[q + 1]!
        expect([call.type, put.type, put.strike]).toEqual(["call", "put", call.strike])
        expect(call.strike).toBeGreaterThan(quotes[q - 2]?.strike ?? 0)
        expect(Math.abs(call.mark - put.mark - (forward - call.strike))).toBeLessThan(1e-9 * forward)
        expect(call.ivPct).toBe(put.ivPct)
        for (const quote of [call, put]) {
          expect(quote.bid ?? 0).toBeLessThanOrEqual(quote.mark)
          expect(quote.ask ?? Infinity).toBeGreaterThanOrEqual(quote.mark)
          expect(quote.openInterest).toBeGreaterThanOrEqual(0)
          expect(quote.volume24h).toBeGreaterThanOrEqual(0)
        }
      }
      // Prices of calls fall with the strike and are convex. If call prices violated these conditions, a vertical
      // spread or a butterfly would have a negative cost.
      const calls = quotes.filter((quote) => quote.type === "call")
      for (let c = 1; c < calls.length - 1; c++) {
        const left = (calls[c]!.mark - calls[c - 1]!.mark) / (calls[c]!.strike - calls[c - 1]!.strike)
        const right = (calls[c + 1]!.mark - calls[c]!.mark) / (calls[c + 1]!.strike - calls[c]!.strike)
        expect(left).toBeGreaterThanOrEqual(-1 - 1e-9)
        expect(left).toBeLessThanOrEqual(1e-9)
        expect(right - left).toBeGreaterThan(-1e-9)
      }
    }
  }
})

test("the volatility of a quote equals the implied volatility of its mark", () => {
  const { book } = makeOptions(world, "BTC")
  const chain = book.chain(now)!
  for (const { expiryAt, forward, quotes } of chain.expiries) {
    const years = (expiryAt - now) / yearMs
    for (const { mark, strike, type, ivPct } of quotes) {
      if (type === "call" ? strike < forward : strike > forward) continue
      if (mark < 1e-6 * forward) continue
      expect(100 * impliedVolatility76({ price: mark, forward, strike, years, type })!).toBeCloseTo(ivPct, 5)
    }
  }
})

test("the history of implied volatility ends at the level of the chain", () => {
  const { book } = makeOptions(world, "ETH")
  const time = Math.floor(now / hourMs) * hourMs
  const points = book.ivHistory(now, 365, 30)
  expect(points).toHaveLength(365)
  expect(points.at(-1)!.time).toBe(time)
  const term = book.chain(time)!.expiries.map(({ expiryAt, forward, quotes }) => {
    const calls = quotes.filter((quote) => quote.type === "call")
    const iv = ivAtStrike({
      forward,
      years: (expiryAt - time) / yearMs,
      strikes: calls.map((q) => q.strike),
      ivs: calls.map((q) => q.ivPct)
    }, forward)
    return { days: (expiryAt - time) / dayMs, iv: iv! }
  })
  const iv = ivAtMaturity({ days: term.map((point) => point.days), ivs: term.map((point) => point.iv) }, 30)!
  expect(Math.abs(points.at(-1)!.ivPct / iv - 1)).toBeLessThan(0.01)
})

test("expiries are daily, weekly, monthly and quarterly at 08:00, and futures have the same forward", () => {
  const { book, underlying } = makeOptions(world, "BTC")
  const chain = book.chain(now)!
  for (const { expiryAt } of chain.expiries) expect(new Date(expiryAt).toISOString()).toContain("T08:00:00.000Z")
  expect(underlying.expiries(now).map((expiry) => expiry.kind)).toEqual(
    expect.arrayContaining(["daily", "weekly", "monthly", "quarterly"])
  )
  const beyond = chain.expiries.filter((expiry) => expiry.expiryAt > now + 4 * dayMs)
  for (const { expiryAt } of beyond) expect(new Date(expiryAt).getUTCDay()).toBe(5)
  let shared = 0
  for (const future of world.derivatives.futures(world.coin("BTC")!, now)) {
    const expiry = chain.expiries.find((candidate) => candidate.expiryAt === future.expiryAt)
    if (expiry === undefined) continue
    expect(expiry.forward).toBeCloseTo(future.price, 6)
    shared++
  }
  expect(shared).toBeGreaterThanOrEqual(3)
})

test.each(coinsWithOptions)("%s: strikes near the money get closer as a quarterly expiry approaches", (coin) => {
  const { book, underlying } = makeOptions(world, coin)
  const quarter = Date.parse("2026-09-25T08:00:00Z")
  let before: ReadonlyArray<number> = []
  for (const [daysLeft, maxDays] of [[200, 0.07], [90, 0.035], [30, 0.016], [2, 0.009]] as const) {
    const { forward, quotes } = book.chain(quarter - daysLeft * dayMs, quarter)!.expiries[0]!
    const strikes = [...new Set(quotes.map(({ strike }) => strike))]
    const above = strikes.findIndex((strike) => strike >= forward)
    const gap = (strikes[above]! - strikes[above - 1]!) / forward
    expect(gap * 0.45 / underlying.usualVolatility, `${daysLeft} days`).toBeLessThan(maxDays)
    expect(strikes).toEqual(expect.arrayContaining([...before]))
    before = strikes
  }
})

test("open interest grows towards expiry, is higher at round strikes, and changes by at most the volume", () => {
  const { book } = makeOptions(world, "BTC")
  const quarter = Date.parse("2026-09-25T08:00:00Z")
  const total = (time: number) =>
    book.chain(time, quarter)!.expiries[0]!.quotes.reduce((sum, q) => sum + q.openInterest, 0)
  expect(total(quarter - 7 * dayMs)).toBeGreaterThan(1.2 * total(quarter - 60 * dayMs))
  expect(total(quarter - 60 * dayMs)).toBeGreaterThan(1.5 * total(quarter - 200 * dayMs))

  const { quotes, forward } = book.chain(now, quarter)!.expiries[0]!
  const near = quotes.filter((q) => Math.abs(Math.log(q.strike / forward)) < 0.2)
  const round = near.filter((q) => q.strike % 10_000 === 0)
  const each = (list: typeof near) => list.reduce((sum, q) => sum + q.openInterest, 0) / list.length
  expect(each(round)).toBeGreaterThan(1.1 * each(near))

  const before = new Map(
    book.chain(now - dayMs)!.expiries.flatMap((e) => e.quotes).map((q) => [q.instrument, q.openInterest])
  )
  for (const quote of book.chain(now)!.expiries.flatMap((e) => e.quotes)) {
    const change = quote.openInterest - (before.get(quote.instrument) ?? 0)
    // The open interest and the volume are rounded to the lot of 0.1.
    expect(Math.abs(change)).toBeLessThanOrEqual(quote.volume24h + 0.15)
  }
})

test("trades are in order and add up to the day's volume", () => {
  const { book } = makeOptions(world, "SOL")
  const trades = book.trades(now - dayMs + 1, now + 1, 100_000)
  expect(trades.length).toBeGreaterThan(100)
  const volumes = new Map<string, number>()
  for (const [i, trade] of trades.entries()) {
    expect(trade.time).toBeGreaterThan(now - dayMs)
    expect(trade.time).toBeLessThanOrEqual(now)
    expect(trade.time).toBeGreaterThanOrEqual(trades[i - 1]?.time ?? 0)
    expect(trade.expiryAt).toBeGreaterThan(trade.time)
    expect(trade.premiumUsd).toBeGreaterThanOrEqual(0)
    volumes.set(trade.instrument, (volumes.get(trade.instrument) ?? 0) + trade.size)
  }
  let compared = 0
  for (const quote of book.chain(now)!.expiries.flatMap((e) => e.quotes)) {
    expect(volumes.get(quote.instrument) ?? 0).toBeCloseTo(quote.volume24h, 6)
    if (quote.volume24h > 0) compared++
  }
  expect(compared).toBeGreaterThan(20)
  const newest = book.trades(now - dayMs + 1, now + 1, 50)
  expect(newest).toEqual(trades.slice(-50))
})

test.runIf(isFullRun)("the same query returns the same bytes, in any order of queries", () => {
  const times = [now, now - 40 * dayMs, now - 3 * hourMs, now - 200 * dayMs]
  const one = makeOptions(makeWorld(seed), "SOL").book
  const forwards = times.map((time) => JSON.stringify([one.chain(time), one.trades(time - hourMs, time, 100)]))
  for (const [i, time] of [...times.entries()].toReversed()) {
    const other = makeOptions(makeWorld(seed), "SOL").book
    other.ivHistory(time - dayMs, 3, 30)
    expect(JSON.stringify([other.chain(time), other.trades(time - hourMs, time, 100)])).toBe(forwards[i])
  }
})
