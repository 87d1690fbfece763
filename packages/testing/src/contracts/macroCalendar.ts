import { assert } from "@effect/vitest"
import { dayMs, MacroCalendar } from "@tapeline/core/market"
import { Effect } from "effect"
import { ascend, isWritable, marketSuite, type Present, told, toldOf } from "../market/suite.ts"

/** What every `MacroCalendar` promises, as tests; `now` is an instant with events in the two weeks around it. */
export const macroCalendarContract = marketSuite<MacroCalendar, MacroCalendar["Service"], Present>(MacroCalendar, [
  ["events lie in the half-open interval; those to come have no figure", (calendar, { now }) =>
    Effect.gen(function*() {
      const interval = { from: now - 7 * dayMs, to: now + 7 * dayMs }
      const events = yield* told(calendar.events(interval))
      isWritable(events)
      ascend(events.map(({ time }) => time), "events")
      assert.isAbove(events.length, 0)
      for (const { actual, time } of events) {
        assert.isTrue(time >= interval.from && time < interval.to)
        if (time > now) assert.isNull(actual)
      }
      const { country } = events[0]!
      assert.deepStrictEqual(
        yield* told(calendar.events({ country, ...interval })),
        events.filter((event) => event.country === country)
      )
    })],
  ["the curve is shortest first", (calendar) =>
    Effect.gen(function*() {
      for (const country of ["US", "KR"] as const) {
        const curve = yield* toldOf(calendar.yieldCurve(country), ({ time }) => time)
        isWritable(curve)
        assert.strictEqual(curve.country, country)
        ascend(curve.points.map(({ years }) => years))
      }
    })]
])
