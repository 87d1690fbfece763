/** Published data must not predict the future. A correlation of up to three standard errors is allowed. */
import { dayMs, hourMs, minuteMs, previousSession } from "@tapeline/core/market"
import { isFullRun } from "@tapeline/testing/fullRun"
import { expect, it } from "vitest"
import { makeEarningsEvent } from "../src/equity/facts/earnings.ts"
import { getAnnouncement, getQuarter } from "../src/equity/facts/fiscalQuarters.ts"
import { getValuationKey } from "../src/equity/facts/statements.ts"
import { getSupply } from "../src/token/supply.ts"
import { getExchangeNetUsd } from "../src/token/transfers.ts"
import { makeWorld } from "../src/world.ts"
import { computeCorrelation, computeMean } from "./support/statistics.ts"

const worlds = (isFullRun ? [1, 2, 3, 4, 5, 6, 7, 8] : [1, 2, 3, 4]).map((seed) => makeWorld(seed))
const first = Date.parse("2021-01-01") / dayMs
const last = Date.parse("2026-12-01") / dayMs

const surprise = (x: ReadonlyArray<number>, y: ReadonlyArray<number>): number =>
  Math.abs(computeCorrelation(x, y)) * Math.sqrt(x.length)

it("stablecoin mints within a day do not predict bitcoin's return over the rest of the day", () => {
  const mintedUsd: Array<number> = []
  const after: Array<number> = []
  for (const world of worlds) {
    const btc = world.coin("BTC")!
    for (let day = first; day < last; day += isFullRun ? 1 : 3) {
      for (const coin of ["USDT", "USDC"]) {
        const decisionTime = day * dayMs + 16 * hourMs
        const market = world.coin(coin)!
        mintedUsd.push(Math.log(getSupply(world, market, decisionTime) / getSupply(world, market, day * dayMs)))
        after.push(btc.logPrice((day + 1) * dayMs) - btc.logPrice(decisionTime))
      }
    }
  }
  // The two stablecoins react to the same market, so their values of one day count as one observation.
  expect(Math.abs(computeCorrelation(mintedUsd, after))).toBeLessThan(3 / Math.sqrt(mintedUsd.length / 2))
})

it("exchange inflows and taker buying do not predict the return of the next hours", () => {
  const sent: Array<number> = []
  const bought: Array<number> = []
  const after: Array<number> = []
  for (const world of worlds) {
    const eth = world.coin("ETH")!
    for (let day = first; day < last; day += isFullRun ? 1 : 5) {
      const decisionTime = day * dayMs + 12 * hourMs
      const totals = eth.totals(decisionTime - 6 * hourMs, decisionTime)!
      sent.push(Math.sign(getExchangeNetUsd(world, eth, decisionTime - 6 * hourMs, decisionTime)))
      bought.push(totals.takerBuyVolume / totals.volume)
      after.push(Math.tanh((eth.logPrice(decisionTime + 12 * hourMs) - eth.logPrice(decisionTime)) / 0.02))
    }
  }
  expect(surprise(sent, after)).toBeLessThan(3)
  expect(surprise(bought, after)).toBeLessThan(3)
})

it("earnings estimates do not predict the move; surprises do, but not a minute after the result", () => {
  const estimates: Array<number> = []
  const surprises: Array<number> = []
  const moves: Array<number> = []
  const left: Array<number> = []
  for (const world of worlds.slice(0, isFullRun ? 8 : 2)) {
    for (const listed of world.equities.getStocks("US").slice(0, isFullRun ? 60 : 20)) {
      const { market, spec } = listed
      const key = getValuationKey(world, spec)
      for (let quarter = getQuarter(first * dayMs); quarter < getQuarter(last * dayMs) - 1; quarter++) {
        const { session, time } = getAnnouncement(spec, key, quarter)
        const before = makeEarningsEvent(world, listed, quarter, previousSession("US", session.day).closeAt - hourMs)
        const yearAgo = makeEarningsEvent(world, listed, quarter - 4, time - dayMs)
        const event = makeEarningsEvent(world, listed, quarter, session.closeAt)
        expect(before.eps).toBeNull()
        estimates.push(before.epsEstimate / Math.abs(yearAgo.eps! || 1))
        surprises.push((event.eps! - event.epsEstimate) / Math.max(0.01, Math.abs(event.epsEstimate)))
        moves.push(Math.tanh(event.movePct! / 100 / (3 * spec.dailySd)))
        // The tested trade buys one minute after the result, and sells at the opening of the session.
        const closeValue = market.getExtendedPrice(time + minuteMs) * market.getShareFactor(time)
        const soldAt = market.price(session.openAt + 1_000) * market.getShareFactor(session.openAt)
        left.push(Math.tanh(Math.log(soldAt / closeValue) / spec.dailySd))
      }
    }
  }
  expect(surprise(estimates.map((x) => Math.max(-3, Math.min(3, x))), moves)).toBeLessThan(3)
  expect(computeCorrelation(surprises.map(Math.tanh), moves)).toBeGreaterThan(0.25)
  expect(surprise(surprises.map((x) => Math.tanh(10 * x)), left)).toBeLessThan(3)
  expect(computeMean(surprises.map((x) => x > 0 ? 1 : 0))).toBeGreaterThan(0.5)
})
