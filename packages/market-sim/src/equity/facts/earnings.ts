import { dayMs, type EarningsEvent, previousSession } from "@tapeline/core/market"
import type { World } from "../../world.ts"
import type { StockWithMarket } from "../stockWithMarket.ts"
import {
  type Announcement,
  formatLocalDate,
  formatQuarter,
  getAnnouncement,
  getLastReportedQuarter,
  type Quarter
} from "./fiscalQuarters.ts"
import { getExpectedEps, getQuarterEps } from "./results.ts"
import { getValuationKey } from "./statements.ts"

const pastAnnouncements = 8
const analystPessimism = 0.015

/** Returns the split-adjusted price move of an announcement as a fraction, or null before the listing. */
const getPriceMove = ({ spec, market }: StockWithMarket, { session }: Announcement): number | null => {
  const before = previousSession(spec.country, session.day)
  if (before.closeAt <= market.listedAt) return null
  const splitFactor = market.getShareFactor(session.closeAt) / market.getShareFactor(before.closeAt)
  return market.price(session.closeAt) * splitFactor / market.price(before.closeAt) - 1
}

type DatedEvent = EarningsEvent & { readonly time: number; readonly epsEstimate: number }

export const makeEarningsEvent = (world: World, listed: StockWithMarket, quarter: Quarter, now: number): DatedEvent => {
  const { spec, market } = listed
  const key = getValuationKey(world, spec)
  const announcement = getAnnouncement(spec, key, quarter)
  const priceMove = getPriceMove(listed, announcement)
  const shareFactor = market.getShareFactor(now)
  const expected = getExpectedEps(spec, key, quarter)
  const roundAmount = (x: number): number => spec.currency === "USD" ? Math.round(100 * x) / 100 : Math.round(x)
  return {
    symbol: spec.symbol,
    name: spec.name,
    period: formatQuarter(quarter),
    date: formatLocalDate(spec.country, announcement.time),
    time: announcement.time,
    when: announcement.when,
    // Published estimates are slightly lower than the expected earnings.
    epsEstimate: roundAmount((expected - analystPessimism * Math.abs(expected)) / shareFactor),
    eps: announcement.time <= now ? roundAmount(getQuarterEps(spec, key, quarter) / shareFactor) : null,
    movePct: announcement.session.closeAt <= now && priceMove !== null ? Math.round(1e4 * priceMove) / 100 : null
  }
}

/**
 * Returns the earnings announcements of the next `days` days. If `symbol` is defined, also returns the last eight
 * announcements of the stock.
 */
export const makeEarningsReport = (
  world: World,
  companies: ReadonlyArray<StockWithMarket>,
  symbol: StockWithMarket | undefined,
  days: number,
  now: number
): { readonly upcoming: ReadonlyArray<DatedEvent>; readonly history: ReadonlyArray<DatedEvent> } => {
  const upcoming: Array<DatedEvent> = []
  for (const listed of symbol === undefined ? companies : [symbol]) {
    const key = getValuationKey(world, listed.spec)
    const next = getLastReportedQuarter(listed.spec, key, now) + 1
    for (let quarter = next; getAnnouncement(listed.spec, key, quarter).time < now + days * dayMs; quarter++) {
      upcoming.push(makeEarningsEvent(world, listed, quarter, now))
    }
  }
  const history: Array<DatedEvent> = []
  if (symbol !== undefined) {
    const last = getLastReportedQuarter(symbol.spec, getValuationKey(world, symbol.spec), now)
    for (let ago = pastAnnouncements - 1; ago >= 0; ago--) {
      const event = makeEarningsEvent(world, symbol, last - ago, now)
      // A company announces nothing before its listing.
      if (event.time >= symbol.market.listedAt) history.push(event)
    }
  }
  return { upcoming: upcoming.sort((a, b) => a.time - b.time || a.symbol.localeCompare(b.symbol)), history }
}
