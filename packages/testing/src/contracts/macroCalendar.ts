import { assert } from "@effect/vitest"
import { dayMs, type EconomicEvent, MacroCalendar } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  assertAscending,
  assertFiniteNumbers,
  marketSuite,
  readDatedValue,
  requestInterval,
  type VenueTime
} from "../market/marketSuite.ts"

const getMidnight = ({ date }: EconomicEvent): number => Date.parse(date)
/** Returns the time by which a calendar event is sorted: the event's time, or midnight of the event's date. */
const getSortTime = (event: EconomicEvent): number => event.time ?? getMidnight(event)

const assertEvent = (event: EconomicEvent, now: number): void => {
  const { actual, country, date, name, time, unit } = event
  assertFiniteNumbers(event)
  assert.match(date, /^\d{4}-\d{2}-\d{2}$/u)
  assert.match(country, /^[A-Z]{2}$/u)
  assert.notStrictEqual(name.trim(), "")
  if (unit !== null) assert.notStrictEqual(unit.trim(), "")
  if (time !== null) assert.strictEqual(new Date(time).toISOString().slice(0, 10), date)
  if (getSortTime(event) > now) assert.isNull(actual)
}

/** Defines the contract tests of `MacroCalendar`, for a venue with events in the weeks before and after `now`. */
export const macroCalendarContract = marketSuite<MacroCalendar, MacroCalendar["Service"], VenueTime>(MacroCalendar, [
  [
    "events are within the half-open interval; upcoming ones have no actual figure, some past ones do",
    (calendar, { now }) =>
      Effect.gen(function*() {
        const interval = { from: now - 7 * dayMs, to: now + 7 * dayMs }
        const events = yield* readDatedValue(calendar.events(interval), (_, now) => requestInterval(now))
        assertAscending(events.map(getSortTime), "events")
        assert.isAbove(events.length, 0)
        for (const event of events) {
          assertEvent(event, now)
          assert.isTrue(getSortTime(event) >= interval.from && getSortTime(event) < interval.to)
        }
        const pastEvents = events.filter((event) => getSortTime(event) < now - dayMs)
        const figures = pastEvents.flatMap(({ actual }) => actual === null ? [] : [actual])
        assert.isTrue(figures.some((figure) => figure !== 0), "nothing was published in a week")
        for (const field of ["forecast", "previous"] as const) {
          const reported = events.flatMap((event) => event[field] === null ? [] : [event[field]])
          if (reported.length > 0) assert.isTrue(reported.some((figure) => figure !== 0), `${field} is 0 everywhere`)
        }
        const { country } = events[0]!
        const ofCountry = yield* readDatedValue(calendar.events({ country, ...interval }), (_, now) =>
          requestInterval(now))
        assert.deepStrictEqual(
          ofCountry,
          events.filter((event) =>
            event.country === country
          )
        )
      })
  ],
  ["the curve is sorted by maturity, in percent", (calendar) =>
    Effect.gen(function*() {
      for (const country of ["US", "KR"] as const) {
        const curve = yield* readDatedValue(calendar.yieldCurve(country), ({ time }) => time)
        assertFiniteNumbers(curve)
        assert.strictEqual(curve.country, country)
        assert.isAbove(curve.points.length, 1)
        assertAscending(curve.points.map(({ years }) => years))
        for (const { tenor, yield1mAgoPct, yieldPct, years } of curve.points) {
          const [, count, unit] = /^(\d+)([MY])$/u.exec(tenor) ?? []
          assert.closeTo(years, Number(count) / (unit === "M" ? 12 : 1), 1e-9)
          for (const pct of [yieldPct, yield1mAgoPct ?? yieldPct]) assert.isTrue(pct > -5 && pct < 50)
        }
        // If the yields were fractions, every yield would be below 0.25.
        assert.isTrue(curve.points.some(({ yieldPct }) => Math.abs(yieldPct) > 0.25))
        const yieldsMonthAgo = curve.points.flatMap(({ yield1mAgoPct }) =>
          yield1mAgoPct === null ? [] : [yield1mAgoPct]
        )
        if (yieldsMonthAgo.length > 0) assert.isTrue(yieldsMonthAgo.some((pct) => pct !== 0))
      }
    })]
])
