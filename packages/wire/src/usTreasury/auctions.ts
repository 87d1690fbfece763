import { dayMs, isTradingDay, type MacroCalendar, newYorkOffset, weekday } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { AutoAdvancingClock } from "../server/AutoAdvancingClock.ts"
import type { RequestHandler } from "../server/FakeServer.ts"

type Calendar = MacroCalendar["Service"]

interface AuctionRule {
  readonly weekday: number
  readonly type: "Bill" | "Note" | "Bond"
  readonly isIndexed?: true
  readonly term: string
  readonly original: string
  readonly tenor: string
  readonly hours: number
  readonly clock: string
}

/**
 * The rules of the weekly auctions. 17-week bills are new securities, and all other auctions reopen older securities.
 * In the fake, TIPS have the yield of nominal bonds.
 */
const auctionRules: ReadonlyArray<AuctionRule> = [
  { weekday: 1, type: "Bill", term: "13-Week", original: "26-Week", tenor: "3M", hours: 11.5, clock: "11:30 AM" },
  { weekday: 3, type: "Bill", term: "17-Week", original: "17-Week", tenor: "6M", hours: 11.5, clock: "11:30 AM" },
  { weekday: 4, type: "Bill", term: "4-Week", original: "17-Week", tenor: "1M", hours: 11.5, clock: "11:30 AM" },
  {
    weekday: 3,
    type: "Note",
    term: "9-Year 11-Month",
    original: "10-Year",
    tenor: "10Y",
    hours: 13,
    clock: "01:00 PM"
  },
  {
    weekday: 4,
    type: "Bond",
    term: "29-Year 10-Month",
    original: "30-Year",
    tenor: "30Y",
    hours: 13,
    clock: "01:00 PM"
  },
  {
    weekday: 4,
    type: "Note",
    isIndexed: true,
    term: "9-Year 8-Month",
    original: "10-Year",
    tenor: "10Y",
    hours: 13,
    clock: "01:00 PM"
  }
]

const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

const rowOf = Effect.fnUntraced(
  function*(calendar: Calendar, day: number, { clock, hours, isIndexed, original, tenor, term, type }: AuctionRule) {
    const now = yield* Clock.currentTimeMillis
    const time = day * dayMs + (hours + newYorkOffset(day)) * 3_600_000
    const { value } = yield* Effect.orDie(calendar.yieldCurve("US")).pipe(
      Effect.provideService(Clock.Clock, new AutoAdvancingClock(Math.min(time, now), []))
    )
    const pct = time <= now ? value.points.find((point) => point.tenor === tenor)!.yieldPct.toFixed(3) : "null"
    return {
      auction_date: dateOf(day),
      security_type: type,
      security_term: term,
      original_security_term: original,
      inflation_index_security: isIndexed === true ? "Yes" : "No",
      floating_rate: "No",
      closing_time_comp: clock,
      high_yield: type === "Bill" ? "null" : pct,
      high_investment_rate: type === "Bill" ? pct : "null"
    }
  }
)

/**
 * Creates a fake of Fiscal Data's auctions, up to a week in the future. The yields come from core's `MacroCalendar`.
 */
export const makeTreasuryAuctions = (calendar: Calendar): RequestHandler => ({ path, query }) => {
  const range = /^auction_date:gte:([\d-]{10}),auction_date:lte:([\d-]{10})$/u.exec(query.get("filter") ?? "")
  if (path !== "/services/api/fiscal_service/v1/accounting/od/auctions_query" || range === null) {
    return Effect.succeed(null)
  }
  return Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const data: Array<unknown> = []
    const last = Math.min(Date.parse(range[2]!) / dayMs, Math.floor(now / dayMs) + 7)
    for (let day = Date.parse(range[1]!) / dayMs; day <= last; day++) {
      for (const one of auctionRules) {
        if (weekday(day) === one.weekday && isTradingDay("US", day)) data.push(yield* rowOf(calendar, day, one))
      }
    }
    return { body: { data, meta: { count: data.length, "total-count": data.length, "total-pages": 1 }, links: {} } }
  })
}
