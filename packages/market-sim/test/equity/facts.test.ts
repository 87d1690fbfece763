import { assert, it } from "@effect/vitest"
import { dayMs, lastSession, localDay, previousSession, readValue } from "@tapeline/core/market"
import { black76 } from "@tapeline/quant/options"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { expect, test } from "vitest"
import { makeEarningsReport } from "../../src/equity/facts/earnings.ts"
import { getFilingsOfDay, getLatestFilings } from "../../src/equity/facts/filings.ts"
import { getAnnouncement, getLastReportedQuarter, getQuarterEnd } from "../../src/equity/facts/fiscalQuarters.ts"
import { getInsiderTrades } from "../../src/equity/facts/insiders.ts"
import { getInvestorFlows } from "../../src/equity/facts/investorFlows.ts"
import { getRatings } from "../../src/equity/facts/ratings.ts"
import { getFundamentals, getValuationKey } from "../../src/equity/facts/statements.ts"
import { makeCompanyFacts } from "../../src/ports/companyFacts.ts"
import { makeWorld } from "../../src/world.ts"
import { computeCorrelation, computeMean } from "../support/statistics.ts"

const now = Date.parse("2026-07-28T17:30:00Z")
const world = makeWorld(21)
const us = world.equities.getStocks("US")
const korea = world.equities.getStocks("KR")

test("statements add up, years contain their quarters, and only reported periods are shown", () => {
  for (const listed of [...us.slice(0, 25), ...korea.slice(0, 15)]) {
    const { years, quarters, ratios } = getFundamentals(world, listed, now)
    expect(years).toHaveLength(4)
    expect(quarters).toHaveLength(4)
    for (const period of [...years, ...quarters]) {
      expect(period.reportedAt).toBeLessThanOrEqual(now)
      expect(period.reportedAt).toBeGreaterThan(period.endAt)
      expect(period.totalAssets).toBe(period.totalLiabilities + period.equity)
      expect(period.freeCashFlow).toBe(period.operatingCashFlow - period.capitalExpenditure)
      expect(period.revenue).toBeGreaterThan(period.grossProfit)
      expect(period.grossProfit).toBeGreaterThan(period.operatingIncome)
      expect(Math.sign(period.netIncome)).toBe(Math.sign(period.eps))
    }
    const yearQuarters = quarters.filter(({ period }) => period.startsWith(years[3]!.period))
    expect(yearQuarters.reduce((sum, { revenue }) => sum + revenue, 0)).toBeLessThanOrEqual(years[3]!.revenue)
    expect(ratios.pe).toBe(world.equities.getQuote(listed, now).pe)
    expect(ratios.pb).toBe(world.equities.getQuote(listed, now).pb)
    const eps = quarters.reduce((sum, period) => sum + period.eps, 0)
    expect(Math.abs((ratios.pe ?? NaN) * eps / listed.market.price(now) - 1) < 0.01 || ratios.pe === null).toBe(true)
  }
})

test("earnings moves match the candles and correlate with surprises; upcoming earnings have no result", () => {
  const surprises: Array<number> = []
  const moves: Array<number> = []
  for (const listed of us) {
    const { upcoming, history } = makeEarningsReport(world, us, listed, 60, now)
    expect(history).toHaveLength(8)
    for (const event of history) {
      expect(event.time).toBeLessThanOrEqual(now)
      expect(event.eps).not.toBeNull()
      if (event.movePct === null) continue
      surprises.push((event.eps! - event.epsEstimate) / Math.abs(event.epsEstimate))
      moves.push(event.movePct)
    }
    for (const event of upcoming) {
      expect(event.time).toBeGreaterThan(now)
      expect([event.eps, event.movePct]).toEqual([null, null])
    }
  }
  expect(computeCorrelation(surprises, moves)).toBeGreaterThan(0.3)
  expect(computeMean(surprises.map((surprise) => surprise > 0 ? 1 : 0))).toBeGreaterThan(0.5)

  const listed = world.equities.getStock("MSFT")!
  const key = getValuationKey(world, listed.spec)
  const { session, time } = getAnnouncement(
    listed.spec,
    key,
    getLastReportedQuarter(listed.spec, key, now - 80 * dayMs)
  )
  const candles = listed.market.getLastCandles("1d", 2, session.closeAt, true)
  const event = makeEarningsReport(world, us, listed, 1, now).history.find((report) => report.time === time)!
  const before = previousSession("US", session.day)
  expect(candles[0]!.time).toBe(before.openAt)
  // Traded prices fall at each dividend, and adjusted candles do not.
  expect(Math.abs(event.movePct! - 100 * (candles[1]!.close / candles[0]!.close - 1))).toBeLessThan(1.2)
})

test("every quarter of a US stock is announced once, and late July has many announcements", () => {
  const { upcoming } = makeEarningsReport(world, us, undefined, 14, now)
  expect(upcoming.length).toBeGreaterThan(5)
  for (const { spec } of us.slice(0, 20)) {
    const key = getValuationKey(world, spec)
    let before = 0
    for (let quarter = 2024 * 4; quarter < 2027 * 4; quarter++) {
      const { time } = getAnnouncement(spec, key, quarter)
      expect(time).toBeGreaterThan(Math.max(before, getQuarterEnd(quarter)))
      expect(time).toBeLessThan(getQuarterEnd(quarter + 1))
      before = time
    }
  }
})

test("ratings and insider trades are within bounds and never from the future", () => {
  for (const listed of us.slice(0, 12)) {
    const { counts, target, changes } = getRatings(world, listed, now)
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(6)
    expect(target.low).toBeLessThanOrEqual(target.mean)
    expect(target.high).toBeGreaterThanOrEqual(target.mean)
    expect(Math.abs(Math.log(target.mean / listed.market.price(now)))).toBeLessThan(0.7)
    for (const change of changes) {
      expect(change.time).toBeLessThanOrEqual(now)
      expect(change.time).toBeGreaterThan(now - 180 * dayMs)
    }
    const trades = getInsiderTrades(world, listed, now - 365 * dayMs, now)
    expect(trades.length).toBeGreaterThan(3)
    for (const trade of trades) {
      expect(trade.filedAt).toBeGreaterThan(trade.time)
      expect(trade.filedAt).toBeLessThanOrEqual(now)
      expect(trade.filedAt - trade.time).toBeLessThan(8 * dayMs)
      expect(trade.shares).toBeGreaterThan(0)
    }
  }
})

test("investor flows add up to 0 in each session; foreigners buy rises, and individuals buy falls", () => {
  const samsung = world.equities.getStock("005930")!
  const flows = getInvestorFlows(world, [samsung], 60, now)
  expect(flows).toHaveLength(60)
  for (const { foreignKrw, institutionKrw, otherKrw, retailKrw } of flows) {
    expect(foreignKrw + institutionKrw + retailKrw + otherKrw).toBe(0)
  }
  const candles = new Map(samsung.market.getLastCandles("1d", 70, now, false).map((candle) => [candle.time, candle]))
  const change = flows.map(({ time }) => candles.get(time)!.close / samsung.market.getPreviousClose(time + 1)! - 1)
  expect(computeCorrelation(flows.map(({ foreignKrw }) => foreignKrw), change)).toBeGreaterThan(0.3)
  expect(computeCorrelation(flows.map(({ retailKrw }) => retailKrw), change)).toBeLessThan(-0.3)
  const all = getInvestorFlows(world, korea, 3, now)
  for (const { foreignKrw, institutionKrw, otherKrw, retailKrw } of all) {
    expect(foreignKrw + institutionKrw + retailKrw + otherKrw).toBe(0)
  }
  expect(all[2]!.foreignKrw).toBe(getInvestorFlows(world, korea, 1, now)[0]!.foreignKrw)
})

test("filings are on working days, newest last, and include results", () => {
  const filings = getLatestFilings(world, korea, 300, now)
  expect(filings).toHaveLength(300)
  for (const [i, filing] of filings.entries()) {
    expect(filing.time).toBeLessThanOrEqual(now)
    expect(filing.time).toBeGreaterThanOrEqual(filings[i - 1]?.time ?? 0)
    expect(filing.url.startsWith("https://filings.example/")).toBe(true)
    expect([0, 6]).not.toContain(new Date(filing.time + 9 * 3_600_000).getUTCDay())
  }
  expect(new Set(filings.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(5)
  const listed = korea[0]!
  const key = getValuationKey(world, listed.spec)
  const { time } = getAnnouncement(listed.spec, key, getLastReportedQuarter(listed.spec, key, now))
  expect(getFilingsOfDay(world, listed, localDay("KR", time)).map(({ kind }) => kind)).toContain("earnings")
})

it.effect(
  "company facts are as of the clock's time, and missing facts fail with NoData",
  () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const part = makeCompanyFacts(world)
      assert.strictEqual((yield* readValue(part.fundamentals("AAPL"))).currency, "USD")
      assert.lengthOf((yield* readValue(part.earnings({ symbol: "AAPL", days: 60 }))).history, 8)
      assert.isEmpty((yield* readValue(part.earnings({ days: 14 }))).history)
      assert.lengthOf(yield* readValue(part.filings({ symbol: "005930", limit: 5 })), 5)
      assert.strictEqual((yield* Effect.flip(part.filings({ symbol: "AAPL", limit: 5 })))._tag, "NoData")
      assert.strictEqual((yield* Effect.flip(part.options({ symbol: "005930" })))._tag, "NoData")
      assert.strictEqual((yield* Effect.flip(part.ratings("NOPE")))._tag, "UnknownSymbol")
      const chain = yield* readValue(part.options({ symbol: "AAPL" }))
      assert.strictEqual(chain.multiplier, 100)
      for (const { discount: discountFactor, exercise, expiryAt, forward: parity, quotes } of chain.expiries) {
        const forward = parity!
        const years = (expiryAt - chain.time) / (365 * dayMs)
        assert.strictEqual(exercise, "american")
        const discounts: Array<number> = []
        for (let i = 0; i < quotes.length; i += 2) {
          const call = { ...quotes[i]!, mark: quotes[i]!.mark! }
          const put = { ...quotes[i + 1]!, mark: quotes[i + 1]!.mark! }
          const { strike } = call
          // An American option is worth at least the gain from exercising it now. Put-call parity holds only if both
          // options are worth more than this gain.
          assert.isAtLeast(call.mark, chain.spot - strike)
          assert.isAtLeast(put.mark, strike - chain.spot)
          for (const { ivPct, mark, type } of [call, put]) {
            const price = black76({ forward, strike, years, sigma: ivPct! / 100, type }).price
            const exercised = type === "call" ? chain.spot - strike : strike - chain.spot
            assert.closeTo(mark, Math.max(discountFactor! * price, exercised), 1e-7 * forward)
          }
          const atParity = call.mark > chain.spot - strike && put.mark > strike - chain.spot
          if (atParity && Math.abs(forward - strike) > 0.001 * forward) {
            discounts.push((call.mark - put.mark) / (forward - strike))
          }
        }
        assert.isBelow(Math.max(...discounts) - Math.min(...discounts), 1e-7)
        for (const discount of discounts) assert.closeTo(discount, discountFactor!, 1e-7)
        assert.isTrue(discountFactor! < 1 && discountFactor! > 0.85)
      }
      assert.deepStrictEqual(yield* readValue(makeCompanyFacts(makeWorld(21)).options({ symbol: "AAPL" })), chain)
    }),
  60_000
)

it.effect(
  "US stock option quotes do not change while the exchange is closed; volume counts the session",
  () =>
    Effect.gen(function*() {
      const part = makeCompanyFacts(world)
      const { closeAt, openAt } = lastSession("US", Date.parse("2026-07-24T21:00:00Z"))
      const at = (time: number) => Effect.andThen(TestClock.setTime(time), part.options({ symbol: "AAPL" }))
      const friday = yield* at(closeAt)
      assert.strictEqual(friday.asOf, closeAt)
      assert.strictEqual(friday.value.time, closeAt)
      // Neither the results after the close nor the expiry on Friday may change the quotes of Friday's close.
      for (const later of [closeAt + 30 * 60_000, closeAt + dayMs, closeAt + 2 * dayMs]) {
        assert.deepStrictEqual(yield* at(later), friday)
      }
      assert.isTrue(friday.value.expiries.every(({ expiryAt }) => expiryAt > closeAt))
      const volumeOf = ({ value }: typeof friday) =>
        value.expiries.flatMap(({ quotes }) => quotes).reduce((sum, { volume24h }) => sum + volume24h!, 0)
      assert.strictEqual(volumeOf(yield* at(openAt)), 0)
      const noon = volumeOf(yield* at(openAt + 3 * 3_600_000))
      assert.isTrue(noon > 0 && noon < volumeOf(friday))
    }),
  60_000
)
