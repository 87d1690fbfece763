import { assert, layer as withLayer } from "@effect/vitest"
import { dayMs } from "@tapeline/core"
import { getEconomicCalendar, getYieldCurve } from "@tapeline/core/specifications"
import { callByName, callTool } from "@tapeline/testing/toolCalls"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layerEngineOver } from "../support/engine.ts"
import { layerCompleteMarket, layerGappyMarket, now } from "../support/markets.ts"

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })("economic calendar and yield curve", (it) => {
  it.effect("a surprise is the actual value less the forecast, and null before the release", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { events, next_high } = yield* callTool(getEconomicCalendar, { days: 30, days_back: 30 })
      assert.isAbove(events.length, 60)
      const times = events.map(({ time }) => time!)
      assert.deepStrictEqual(times, times.toSorted())
      for (const { actual, forecast, surprise, time } of events) {
        assert.isTrue(Math.abs(Date.parse(time!) - now) <= 30 * dayMs)
        if (Date.parse(time!) > now) assert.deepStrictEqual([actual, surprise], [null, null])
        else assert.closeTo(surprise!, actual! - forecast!, 1e-9)
      }
      assert.deepStrictEqual(
        next_high?.name,
        events.find(({ importance, time }) => importance === "high" && Date.parse(time!) > now)?.name
      )
      const korean = yield* callTool(getEconomicCalendar, { days: 30, days_back: 30, country: "kr" })
      assert.deepStrictEqual(korean.events, events.filter(({ country }) => country === "KR"))
      const { name, time } = events.find((event) => Date.parse(event.time!) > now && event.forecast !== null)!
      yield* TestClock.setTime(Date.parse(time!))
      const out = yield* callTool(getEconomicCalendar, { days_back: 0 })
      assert.isNotNull(out.events.find((event) => event.name === name)!.surprise)
      const unknownCountryCalendar = yield* callTool(getEconomicCalendar, { country: "ZZ" })
      assert.deepStrictEqual([unknownCountryCalendar.events, unknownCountryCalendar.next_high], [[], null])
      assert.match(unknownCountryCalendar.notes[0]!, /No event of ZZ/u)
    }))

  it.effect("the spread follows from the tenors, and its change from the curve a month ago", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      for (const country of ["US", "KR"] as const) {
        const curve = yield* callTool(getYieldCurve, { country })
        const at = (tenor: string) => curve.tenors.find((one) => one.tenor === tenor)!
        const spread = 100 * (at("10Y").yield_pct - at("2Y").yield_pct)
        assert.closeTo(curve.spread_10y_2y_bps!, spread, 1e-9)
        assert.strictEqual(curve.inverted, spread < 0)
        assert.closeTo(curve.change_1m_bps!, at("10Y").change_1m_bps! - at("2Y").change_1m_bps!, 1e-9)
        for (const { change_1m_bps, yield_1m_ago_pct, yield_pct } of curve.tenors) {
          assert.closeTo(change_1m_bps!, 100 * (yield_pct - yield_1m_ago_pct!), 1e-9)
        }
        yield* TestClock.setTime(now - 30 * dayMs)
        const earlierCurve = yield* callTool(getYieldCurve, { country })
        assert.deepStrictEqual(
          earlierCurve.tenors.map(({ yield_pct }) => yield_pct),
          curve.tenors.map(({ yield_1m_ago_pct }) => yield_1m_ago_pct)
        )
        yield* TestClock.setTime(now)
      }
    }))
})

withLayer(layerEngineOver(layerGappyMarket), { timeout: 120_000 })("calendar and yields without forecasts", (it) => {
  it.effect("surprises without a forecast and changes without a past are null and noted", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { events, notes } = yield* callTool(getEconomicCalendar, { days_back: 10 })
      assert.isTrue(
        events.every(({ forecast, surprise, unit }) => forecast === null && surprise === null && unit === null)
      )
      assert.strictEqual(notes.length, 2)
      const curve = yield* callTool(getYieldCurve, {})
      assert.isNull(curve.change_1m_bps)
      assert.isNotNull(curve.spread_10y_2y_bps)
      assert.strictEqual(curve.notes.length, 1)
      const { failure } = yield* callByName("get_economic_calendar", { country: "US", days: 1 })
      assert.isNull(failure)
    }))
})
