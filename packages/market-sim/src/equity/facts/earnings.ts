/** Earnings announcements: dates, estimates, results, and the price moves after them. */
import { dayMs, type EarningsEvent, previousSession } from "@tapeline/core/market"
import type { World } from "../../world.ts"
import type { Listed } from "../listed.ts"
import { type Announcement, announcementOf, dateOf, lastReported, type Quarter, quarterName } from "./fiscal.ts"
import { expectedEps, quarterEps } from "./results.ts"
import { valuationKey } from "./statements.ts"

const pastEvents = 8
const analystsReserve = 0.015

/**
 * The price move on an announcement, as a fraction: from the last close before it to the first close after it, without
 * splits. Null for an announcement before the listing.
 */
const moveOn = ({ spec, market }: Listed, { session }: Announcement): number | null => {
  const before = previousSession(spec.country, session.day)
  if (before.closeAt <= market.listedAt) return null
  const splits = market.shareFactor(session.closeAt) / market.shareFactor(before.closeAt)
  return market.price(session.closeAt) * splits / market.price(before.closeAt) - 1
}

/** An announcement with a known time and estimate. */
type DatedEvent = EarningsEvent & { readonly time: number; readonly epsEstimate: number }

/** The announcement of one quarter, as known at `now`. */
export const earningsEvent = (world: World, listed: Listed, quarter: Quarter, now: number): DatedEvent => {
  const { spec, market } = listed
  const key = valuationKey(world, spec)
  const announcement = announcementOf(spec, key, quarter)
  const move = moveOn(listed, announcement)
  const shareFactor = market.shareFactor(now)
  const expected = expectedEps(spec, key, quarter)
  const cents = (x: number): number => spec.currency === "USD" ? Math.round(100 * x) / 100 : Math.round(x)
  return {
    symbol: spec.symbol,
    name: spec.name,
    period: quarterName(quarter),
    date: dateOf(spec.country, announcement.time),
    time: announcement.time,
    when: announcement.when,
    // Analysts publish slightly less than they expect.
    epsEstimate: cents((expected - analystsReserve * Math.abs(expected)) / shareFactor),
    eps: announcement.time <= now ? cents(quarterEps(spec, key, quarter) / shareFactor) : null,
    movePct: announcement.session.closeAt <= now && move !== null ? Math.round(1e4 * move) / 100 : null
  }
}

/** The announcements of stocks within `days` from now, and the last eight of a given stock. */
export const earningsReport = (
  world: World,
  all: ReadonlyArray<Listed>,
  symbol: Listed | undefined,
  days: number,
  now: number
): { readonly upcoming: ReadonlyArray<DatedEvent>; readonly history: ReadonlyArray<DatedEvent> } => {
  const upcoming: Array<DatedEvent> = []
  for (const listed of symbol === undefined ? all : [symbol]) {
    const key = valuationKey(world, listed.spec)
    const next = lastReported(listed.spec, key, now) + 1
    for (let quarter = next; announcementOf(listed.spec, key, quarter).time < now + days * dayMs; quarter++) {
      upcoming.push(earningsEvent(world, listed, quarter, now))
    }
  }
  const history: Array<DatedEvent> = []
  if (symbol !== undefined) {
    const last = lastReported(symbol.spec, valuationKey(world, symbol.spec), now)
    for (let ago = pastEvents - 1; ago >= 0; ago--) {
      const event = earningsEvent(world, symbol, last - ago, now)
      // A company announces nothing before its listing.
      if (event.time >= symbol.market.listedAt) history.push(event)
    }
  }
  return { upcoming: upcoming.sort((a, b) => a.time - b.time || a.symbol.localeCompare(b.symbol)), history }
}
